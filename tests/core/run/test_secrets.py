"""Keys, tokens and headers are in no record, by their names and by what the environment holds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest
from pydantic import BaseModel

import aegis_core as aegis
from aegis_core.adapter import Part
from aegis_core.run import Run, RunInfo
from aegis_core.run.outputs import call_text
from aegis_core.run.requests import Requests
from aegis_core.run.secrets import SECRET, Secrets, is_secret
from aegis_core.run.values import plain_data, value_parts, without_secrets
from aegis_core.trajectory import Trajectory

KEY = "sk-3f9a71c2d0"


@pytest.mark.parametrize(
    "name",
    [
        "api_key", "apiKey", "OPENAI_API_KEY", "x-api-key", "Authorization", "access_token", "token", "hf_token",
        "idToken", "password", "db_password", "clientSecret", "secret", "AWS_SECRET_ACCESS_KEY", "private_key",
        "Cookie", "Set-Cookie", "credentials", "auth", "basic_auth", "connection_string",
    ],
)  # fmt: skip
def test_a_name_of_a_secret_is_known(name: str) -> None:
    assert is_secret(name)


@pytest.mark.parametrize(
    "name",
    [
        "text", "key", "keys", "keyword", "max_tokens", "tokens", "eos_token", "next_page_token", "author", "authority",
        "monkey", "tokenizer", "secretary", "primary_key", "question", "", "0",
    ],
)  # fmt: skip
def test_other_names_are_left_alone(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("secret_ingredient", "saffron"), ("secret_ingredients", ["saffron", "a pinch of salt"]),
        ("secret", "The butler did it, at 9 o'clock."), ("credentials", "I'm a doctor of physics"),
        ("cookies", "Two chocolate chip cookies"), ("auth_mode", "interactive"), ("secret_number", 42),
        ("secretNumber", "42"), ("auth_required", True), ("password_required", False), ("cookie_recipe", "Stir it."),
        ("token_count", 12), ("author", "Mary Shelley"), ("token", "Take the second word."), ("token", True),
    ],
)  # fmt: skip
def test_ordinary_words_under_a_name_like_that_of_a_secret_are_kept(name: str, value: Any) -> None:
    assert not is_secret(name, value)
    assert plain_data({name: value}) == {name: list(value) if isinstance(value, list) else value}


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("secret_ingredient", KEY), ("secret_ingredients", ["saffron", KEY]), ("secret", "hunter"), ("token", "hunter"),
        ("password", "correct horse battery staple"), ("passphrase", "The butler did it."), ("password2", "hunter"),
        ("password_again", "Hunter two three."), ("api_key_2", "hunter"), ("auth_header", "Bearer hunter"),
        ("auth_value", "hunter"), ("Authorization", "Basic aHVudGVyOmh1bnRlcg=="), ("auth_url", "https://me:pw@host"),
        ("cookie", "a=b; c=d; e=f"), ("client_secret_prod", "aBcDeFgH"), ("client_secret_prod", "abc123"),
        ("secret_phrase", "abandon ability able aboutXY"), ("secret", "abandon ability able about above absent"),
        ("credentials", {"user": "me", "login": "hunter"}), ("secret_settings", {"a": "b"}), ("password", 1234),
        ("connection_string", "Server is the host."), ("token", "eyJhbGciOiJIUzI1NiJ9.e30.abc"),
    ],
)  # fmt: skip
def test_what_may_be_a_secret_is_left_out_whatever_it_looks_like(name: str, value: Any) -> None:
    assert is_secret(name, value)
    assert plain_data({name: value}) == {}


@pytest.mark.parametrize("value", [{"X-Team": "blue"}, [("X-Team", "blue")]])
def test_headers_are_secret_as_pairs_and_not_as_the_heads_of_a_table(value: Any) -> None:
    assert is_secret("extra_headers", value)
    assert is_secret("env", value)
    assert not is_secret("headers", ["name", "weight"])
    assert not is_secret("headers", [])


@dataclass
class Options:
    question: str
    api_key: str


class Client(BaseModel):
    name: str
    token: str


VALUES: list[Any] = [
    {"question": "why", "api_key": KEY},
    {"question": "why", "nested": [{"headers": {"Authorization": KEY}}]},
    Options("why", KEY),
    {"question": "why", "client": Client(name="n", token=KEY)},
]


@pytest.mark.parametrize("value", VALUES)
def test_what_has_the_name_of_a_secret_is_neither_a_part_nor_data(value: Any) -> None:
    parts = value_parts(value)
    assert "why" in [part.text for part in parts]
    assert KEY not in str(parts)
    assert KEY not in str(plain_data(value))
    assert KEY not in call_text("ask", {"value": value})
    assert "why" in call_text("ask", {"value": value})


def test_a_result_on_the_tape_keeps_its_form() -> None:
    assert without_secrets({"a": [1, {"token": KEY, "b": "c"}]}) == {"a": [1, {"token": SECRET, "b": "c"}]}
    plain = {"a": [1, {"b": "c"}]}
    assert without_secrets(plain) is plain


@pytest.fixture
def environment(monkeypatch) -> None:
    for name, value in {
        "SOME_API_KEY": KEY,
        "PIN_PASSWORD": "12345678",
        "EASY_PASSWORD": "password",
        "PATH_TOKEN": "/usr/bin/env",
        "COLOUR": "blue-and-green-1",
        "ACCESS_TOKEN": 'quo"ted\\key1',
    }.items():
        monkeypatch.setenv(name, value)


@pytest.mark.usefixtures("environment")
def test_the_environment_tells_secrets_from_words_figures_and_paths() -> None:
    held = Secrets.of_environment().values
    assert KEY in held
    assert 'quo"ted\\key1' in held
    assert not {"12345678", "password", "/usr/bin/env", "blue-and-green-1"} & set(held)


@pytest.mark.usefixtures("environment")
@pytest.mark.parametrize("secret", [KEY, 'quo"ted\\key1'])
def test_what_the_environment_holds_is_in_no_record_of_a_run(secret: str) -> None:
    run = Run(RunInfo(run_id="r", task=f"use {secret}"))
    turn = run.begin_turn("Solver", [Part(id="a", text=f"the key is {secret}.")])
    run.record_call(turn, "model", [Part(id="a", text=secret)], {"said": f"({secret})"})
    run.end_turn(turn, [Part(id="b", text=f"I have {secret}", data={"x": secret})])
    run.failed(ValueError(f"wrong key {secret}"))
    run.leave(secret)
    written = run.trajectory().model_dump_json() + run.tape().model_dump_json()
    assert secret not in written
    assert secret.replace("\\", "\\\\").replace('"', '\\"') not in written
    assert run.trajectory().steps[0].text == f"I have {SECRET}"
    assert run.trajectory().final_output == SECRET
    assert run.hidden(f"x {secret}") == f"x {SECRET}"


def test_a_record_without_secrets_is_handed_on_as_it_is() -> None:
    record = Trajectory(run_id="r", task="t", agents=(), steps=())
    assert Secrets((KEY,)).out_of(record) is record


def test_requests_hash_alike_with_another_key() -> None:
    one, other = (Requests(secrets=Secrets((key,))) for key in (KEY, "another-key-9"))
    hashes = [
        requests.hash([Part(id="a", text=f"by {key}")], {"auth": key})
        for requests, key in ((one, KEY), (other, "another-key-9"))
    ]
    assert hashes[0] == hashes[1]


# -- plain functions ------------------------------------------------------------------------------------------------


class Session:
    def __repr__(self) -> str:
        return f"Session({KEY})"


@aegis.model
def ask(prompt: str, key: Session, api_key: str, **options: Any) -> str:
    assert api_key.startswith("sk-")
    return f"{prompt} answered"


@aegis.tool
def fetch(page: str, token: str, session: Session, **options: Any) -> dict[str, Any]:
    return {"page": page, "cookie": KEY, "session": "s"}


@aegis.agent("Solver")
def solve(question: str, token: str) -> str:
    found = fetch(question, token, Session(), headers={"X": token})
    return ask(found["page"], Session(), token, extra_headers={"X": token})


def played(token: str) -> Any:
    @aegis.trace
    def team(question: str) -> str:
        return solve(question, token)

    with aegis.record(team) as run:
        assert team("why") == "why answered"
    return run


def test_secrets_among_arguments_and_results_of_calls_are_not_recorded() -> None:
    run = played(KEY)
    assert KEY not in run.trajectory.model_dump_json() + run.tape.model_dump_json()
    call, result, said = run.trajectory.steps
    assert call.text == f'fetch(page="why", token="{SECRET}", session="<Session>", headers="{SECRET}")'
    assert result.text == f'{{"page": "why", "cookie": "{SECRET}", "session": "s"}}'
    assert said.text == "why answered"


def test_a_tape_does_not_depend_on_the_key() -> None:
    one, other = played(KEY).tape, played("sk-another").tape
    assert [entry.request_hash for entry in one.entries] == [entry.request_hash for entry in other.entries]
