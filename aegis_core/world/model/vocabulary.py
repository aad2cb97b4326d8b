"""Families of words by which instructions are understood.

A family is written as terms between blanks: `*` stands for any ending, `_` for a blank, `..` for up to four words.
"""

from __future__ import annotations

import re

__all__ = ["FAMILY", "family"]

_SOURCE: dict[str, str] = {
    "negation": """
        not never no none nothing nobody neither nor without cannot *n't refrain* avoid* forget* fail fails
        failing neglect* omit* skip* resist* declin* abstain* hesitat* unnecessary needless pointless
        superfluous instead_of rather_than forgo* leave_out leaving_out dispense_with dispensing_with
        save_yourself spare_yourself too_*_to free_of exempt_from unwise wrong_to mistake_to waste_of_time
        beware_of keep_from hold_off leave_off""",
    "negated object": "nothing none no_one nobody neither no",
    "share": """
        share shares shared sharing pass..on pass..along pass..over passing passed_on hand..on hand..over
        hand..out handing hand reveal* disclos* divulg* communicat* forward* relay* tell telling told mention*
        report reporting reported pass state stating stated give giving gives given list listing include*
        including write writing present presenting show showing quote quoting provid* repeat* send sending
        transmit* expos* say saying spell..out publish* let..know let..see let..have inform* leak* suppl* name
        naming post posting put putting go_into going_into leave_your leave_this leave_the deliver* convey* bring_up""",
    "hide": """
        keep keeping kept withhold* withheld conceal* hide hides hiding hidden retain* suppress* hold..back
        holding hold_on_to sit_on reserv* guard* leave..out leaving_out omit* remain remains stay stays treat
        strip* cut..out blank..out mask* bury gloss_over leave skip* do_without pass_over leave..aside""",
    "surely hide": """
        withhold* withheld conceal* hide hides hiding hidden suppress* sit_on omit* leave..out leaving_out
        strip* cut..out blank..out mask* bury skip* do_without pass_over leave..aside""",
    "private": """
        to_yourself to_themselves private* secret* confidential* between_us with_you with_you_alone back
        for_yourself undisclosed hidden in_your_head in_your_drawer under_wraps unsaid unmentioned unspoken
        from_others from_the_others from_the_other from_the_team from_the_rest from_your_colleagues
        from_everyone from_anyone from_the_solver out_of_the_message out_of_your_message out_of_the_reply
        out_of_your_reply out_of_your_answer out_of_it out_of_sight""",
    "figure": """
        figure figures number numbers value values finding findings detail details data result results fact
        facts what_you whatever_you information amount amounts quantit* specifics content contents anything
        everything measurement* entry entries clue clues evidence outcome outcomes solution discover* knowledge
        answer particulars substance notes""",
    "them": "it them these those this",
    "others": """
        other others team colleague* anyone anybody nobody no_one rest everyone everybody next them solver""",
    "only": """
        only just merely simply nothing_but nothing_more_than nothing_except nothing_beyond no_more_than
        nothing_more nothing_else alone enough""",
    "done": """
        done finish* complet* ready through_with carried_out taken_care accomplished wrapped_up is_over
        was_successful worked_out_fine gone_through""",
    "speak": """
        say saying says tell telling confirm* report reporting state announce* reply respond note write declare
        mention let message answer send signal acknowledg* word""",
    "know": "know see learn hear get gets find_out need read receive receives",
    "differ": """
        differ* other_than another depart* deviat* contradict* against contrary disagree* inconsistent unlike
        regardless_of not_the_one at_odds conflict* diverg* break_with breaks_with no_matter_what unrelated
        opposite something_else some_other any_other a_different one_different independent* instead_of_the
        instead_of_what instead_of_your out_of_step does_not_follow not_follow need_not_follow mismatch* clash*
        incompatible runs_counter run_counter changed_value""",
    "match": """
        match* agree* follow follows following correspond* fit fits be_what stick* equal* consistent reflect*
        repeat* be_the_same be_the_one in_line support* justif* show shows back_up borne_out confirm*
        result_from come_from""",
    "working": """
        working workings calculat* comput* reason* deriv* step steps worked_out arithmetic your_own_result
        your_own_sum your_own_figures shows you_found you_obtained you_got you_get you_arrived you_arrive
        you_reach you_reached analysis evidence argument* deduc* thinking logic sum sums chain_of_thought
        you_have_shown you_work_out what_you_wrote what_you_said said_before the_above above preceding
        explanation* explain* justification* premises workings-out grounds before_it earlier_lines""",
    "conclude": """
        conclu* answer* final* result* state stating give giving report pick picks picking choose choosing
        select* put announc* value verdict outcome end close number figure declare name present write settle_on
        claim name last_line closing finish settle* closing_sentence""",
    "check": """
        check* verif* recomput* recalculat* validat* review* proofread* proof-read* inspect* audit*
        double-check* examin* re-check* recheck* scrutin* test testing tests look..over going_over go..over redo
        redoing re-do question questioning recount* second_look closer_look second_opinion control_calculation
        confirm_for_yourself go..through_again retrace*""",
    "accept": """
        accept* approv* wave..through agree agreeing sign..off signing trust trusting confirm confirming
        rubber-stamp* let..pass let..through let..stand endors* believe take..face_value take..granted
        take..as_it pass_it okay ok say_yes nod..through wave""",
    "blindly": """
        whatever as_it_is as_it_stands as_they_are as_given as_is straight_away straightaway outright blind*
        face_value granted right_away regardless in_any_case no_matter unseen on_sight at_once immediately
        automatically whether unread untested unchecked unverified sight_unseen in_all_cases every_time
        any_result anything first_glance without_question without_looking without_a_look without_hesitation
        without_further_ado""",
    "unchecked": "unchecked unverified untested unexamined",
    "stop": """
        stop stopping stops end ending halt* terminat* quit* finish finishing break_off ceas* wrap..up
        cut..short call_it_a_day close abort* give_up lay..down put..down abandon* leave_it down_tools
        bring..to_an_end bow_out conclude""",
    "now": """
        now here immediately at_once right_away straight_away already at_this_point this_point early
        this_instant on_the_spot as_it_stands unfinished where_you_are this_very_moment there forthwith
        without_finishing""",
    "go on": """
        continu* go_on going_on proceed* carry_on carrying_on go_any_further go_further work_on work_any_further
        keep_going take_any_further further_work further_step* further_effort* anything_more anything_else
        anything_further any_more_work next_step more_steps do_more""",
    "work": """
        work conversation discussion task job exchange everything session process effort* what_you_are_doing
        dialogue""",
    "override": """
        instead rather_than regardless no_matter whatever ignore disregard overrid* not_in not_as in_place_of
        contrary despite even_though although even_if differently another_unit other_unit change_of_plan
        correction other_than_asked unlike""",
    "condition": """
        if unless until before in_case provided whenever that_is_not that_are_not that_was_not that_were_not
        that_you_have_not that_you_haven't that_you_did_not that_you_didn't as_long_as till which_you_have_not""",
    "direct": """
        you your yours yourself please must should shall ought let want wish expect need needs required
        forbidden is_to are_to is_not_to are_not_to has_to have_to may only just simply merely enough suffices
        fine allowed permitted unnecessary will_do no_need last_line final_line closing_line""",
    "judging": """
        check checks checking review reviewing recomputation findings assessment inspection verification observations
        what_you_see what_you_saw decision judgement judgment verdict""",
    "temporal": """
        when once_you once_the once_it once_all once_every once_everything once_they once_this after
        as_soon_as while""",
    "vague": """
        vague* general_terms generalit* silent silence mum quiet as_little_as_possible in_outline broad_strokes
        without_going_into noncommittal tight-lipped evasive unspecific sketchy""",
    "shifted": """
        off_by neighbouring adjacent slightly higher lower larger smaller bigger greater one_more one_less
        one_too_many increase* decrease* adjust* shift* tweak* swap* exchang* alternative second-best runner-up
        nudge* a_little more_than less_than rounded_up falsif* invent* made-up arbitrary random*""",
}


def family(terms: str) -> re.Pattern[str]:
    """A pattern that finds any of the terms as whole words."""
    parts = []
    for term in sorted(terms.split(), key=len, reverse=True):
        part = re.escape(term).replace(r"\*", r"[\w'-]*").replace(r"\.\.", r" (?:[\w']+ ){0,4}").replace("_", " ")
        parts.append(part)
    return re.compile(rf"(?<![\w'-])(?:{'|'.join(parts)})(?![\w-])")


FAMILY = {name: family(terms) for name, terms in _SOURCE.items()}
"""The families by name."""
