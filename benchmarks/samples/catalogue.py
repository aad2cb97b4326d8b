"""The samples: where each stands, what it needs, by which object it is recorded, and what its models answer."""

from __future__ import annotations

from dataclasses import dataclass, field

from benchmarks.samples.scripted import Call, Rule

__all__ = ["SAMPLES", "Entrance", "Sample"]


@dataclass(frozen=True)
class Entrance:
    """The method by which a sample starts its system.

    `target` is `module:Class.method`. What is recorded is the method's object, or with `argument` its first argument.
    At a constructor, recording lasts till the sample ends.
    """

    target: str
    argument: bool = False


@dataclass(frozen=True)
class Sample:
    """A file of a public repository that builds and runs a system of several agents.

    `cells` are the code cells of a notebook, or the code blocks of a page, that are run, counted from 0; None: a Python
    file, run as a program. `requirements` are what pip installs besides the checkout; `extra` is the one of aegis-mas.
    """

    name: str
    repository: str
    revision: str
    path: str
    entrance: Entrance
    rules: tuple[Rule, ...]
    extra: str = ""
    requirements: tuple[str, ...] = ()
    cells: tuple[int, ...] | None = None
    inputs: tuple[str, ...] = ()
    """What is typed where the sample asks for input."""
    environment: dict[str, str] = field(default_factory=dict)
    silenced: tuple[str, ...] = ()
    """Modules that are no part of the system (a collector of spans) and are replaced by empty ones."""
    models: tuple[str, ...] = ()
    """`module:Class` of model clients of other providers, replaced by the framework's client for OpenAI's interface."""
    call: str = ""
    """A function of the file that is called instead of running it as a program."""


_AIRLINE = (
    Rule("You are a helpful triaging agent", (Call("transfer_to_faq_agent"),)),
    Rule(
        "You are an FAQ agent",
        (
            Call("faq_lookup_tool", {"question": "What are your store hours? Is there wifi?"}),
            "I have no store hours at hand, but there is free wifi on the plane: join Airline-Wifi.",
        ),
    ),
)

_HEAT = (
    Rule("Select an agent to perform task", ("PlanningAgent", "WebSearchAgent", "DataAnalystAgent", "PlanningAgent")),
    Rule(
        "You are a planning agent",
        (
            "1. WebSearchAgent : find the best scorer of 2006-2007\n2. DataAnalystAgent : work out the change",
            "Dwayne Wade; his rebounds rose by 85.98 percent. TERMINATE",
        ),
    ),
    Rule("You are a web search agent", (Call("search_web_tool", {"query": "Miami Heat points 2006-2007"}),)),
    Rule("You are a data analyst", (Call("percentage_change_tool", {"start": 214, "end": 398}),)),
)

_LAYERS = (
    Rule("synthesize", ("Together: 432 dollars.",)),
    Rule("", ("I get 432 dollars.",)),
)

_FAANG = (
    Rule(
        "You are a team supervisor",
        (
            Call("transfer_to_research_expert"),
            Call("transfer_to_math_expert"),
            "Together they have 1,977,586 employees.",
        ),
    ),
    Rule(
        "You are a world class researcher",
        (
            Call("web_search", {"query": "FAANG headcount 2024"}),
            "Meta 67,317; Apple 164,000; Amazon 1,551,000; Netflix 14,000; Google 181,269.",
        ),
    ),
    Rule("You are a math expert", (Call("add", {"a": 67317, "b": 164000}), "The sum is 1,977,586.")),
)

_TRADING = (
    Rule("You can make a task more specific", ("Develop a bot that buys when a ten-day mean is crossed.",)),
    Rule("Never forget you are a Stock Trader", ("Instruction: load the prices.\nInput: None", "<CAMEL_TASK_DONE>")),
    Rule("Never forget you are a Python Programmer", ("Solution: prices = load()\nNext request.", "Done.")),
)

_CODERS = (
    Rule(
        "", ("```python\ndef product(xs): ...\n```", "```python\ndef test_product(): ...\n```", "Test the empty list.")
    ),
)

_GROWTH = (
    Rule(
        "solve any task using code",
        (
            'Thought: I ask.\n<code>\nfound = search_agent(task="Growth of the US in 2024?")\nprint(found)\n</code>',
            "Thought: 70 / 2.8 = 25.\n<code>\nfinal_answer(25)\n</code>",
        ),
    ),
    Rule(
        "solve any task using tool calls",
        (Call("final_answer", {"answer": "The growth of 2024 was 2.8 percent."}),),
    ),
)

SAMPLES = (
    Sample(
        name="autogen",
        repository="microsoft/autogen",
        revision="main",
        path="python/docs/src/user-guide/agentchat-user-guide/selector-group-chat.ipynb",
        cells=(0, 1, 2, 3, 4, 5, 6, 7),
        entrance=Entrance("autogen_agentchat.teams._group_chat._base_group_chat:BaseGroupChat.run_stream"),
        rules=_HEAT,
        extra="autogen",
        requirements=("autogen-ext[openai]>=0.7.5,<0.8",),
    ),
    Sample(
        name="autogen_core",
        repository="microsoft/autogen",
        revision="main",
        path="python/docs/src/user-guide/core-user-guide/design-patterns/mixture-of-agents.ipynb",
        cells=(0, 1, 2, 3, 4, 5),
        entrance=Entrance("autogen_core._single_threaded_agent_runtime:SingleThreadedAgentRuntime.__init__"),
        rules=_LAYERS,
        extra="autogen",
        requirements=("autogen-ext[openai]>=0.7.5,<0.8",),
    ),
    Sample(
        name="camel",
        repository="camel-ai/camel",
        revision="master",
        path="examples/ai_society/role_playing.py",
        call="main",
        entrance=Entrance("camel.societies.role_playing:RolePlaying.__init__"),
        rules=_TRADING,
        extra="camel",
    ),
    Sample(
        name="langgraph",
        repository="langchain-ai/langgraph-supervisor-py",
        revision="main",
        path="README.md",
        cells=(0,),
        entrance=Entrance("langgraph.pregel:Pregel.invoke"),
        rules=_FAANG,
        extra="langgraph",
        requirements=("langgraph-supervisor", "langchain-openai"),
    ),
    Sample(
        name="metagpt",
        repository="FoundationAgents/MetaGPT",
        revision="v0.8.2",
        path="examples/build_customized_multi_agents.py",
        call="main",
        entrance=Entrance("metagpt.team:Team.run"),
        rules=_CODERS,
        requirements=("fire",),
    ),
    Sample(
        name="openai_agents",
        repository="openai/openai-agents-python",
        revision="main",
        path="examples/customer_service/main.py",
        call="main",
        entrance=Entrance("agents.run:Runner.run", argument=True),
        rules=_AIRLINE,
        extra="openai-agents",
        environment={"EXAMPLES_INTERACTIVE_MODE": "auto", "OPENAI_AGENTS_DISABLE_TRACING": "1"},
    ),
    Sample(
        name="smolagents",
        repository="huggingface/smolagents",
        revision="main",
        path="examples/inspect_multiagent_run.py",
        entrance=Entrance("smolagents.agents:MultiStepAgent.run"),
        rules=_GROWTH,
        extra="smolagents",
        requirements=("openinference-instrumentation-smolagents", "openai", "ddgs", "markdownify"),
        silenced=("phoenix", "phoenix.otel"),
        models=("smolagents:InferenceClientModel",),
    ),
)
