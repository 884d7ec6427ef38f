from pathlib import Path

from report.section_content import column, table, values, words
from report.study_factory import write_run
from threadmed.report.analyses import report_of
from threadmed.report.catalogue import settings_of, states, targets_of
from threadmed.report.material import Found, read_found
from threadmed.report.sections.alarms import alarms
from threadmed.report.sections.arms import arms
from threadmed.report.sections.correction import correction
from threadmed.report.sections.severity import harm
from threadmed.report.transcripts import conversations


def test_arms_are_compared_with_their_model_asked_plainly(armed: Found) -> None:
    compared = table(arms(armed), "table-arms")

    assert column(compared, "arm") == ["a+warn"] * 4 + ["a+mend"]
    assert column(compared, "setting")[-1] == "Intervention"
    assert armed.arms is not None
    assert values(compared, "difference") == [
        c.difference.value for c in armed.arms.comparisons
    ]


def test_changed_answers_stand_by_number_turn_and_distance(armed: Found) -> None:
    worth = table(arms(armed), "table-interventions")
    items = column(worth, "items")

    assert items[:2] == ["no change before", "any change before"]
    assert "changes before: 1" in items
    assert "first change alone" in items
    assert any(item.startswith("turns since") for item in items)
    assert "a+mend: every answer that fails, replaced by" in words(arms(armed))


def test_a_judge_that_looked_is_held_against_the_panel(armed: Found) -> None:
    screening = table(arms(armed), "table-screening")

    assert column(screening, "screen") == ["Judge B"]
    assert values(screening, "misses") != [None]


def test_why_answers_were_changed_is_counted(armed: Found) -> None:
    why = table(arms(armed), "table-changed")

    assert column(why, "why") == ["it failed", "it did not fail"]
    assert sum(n or 0 for n in values(why, "answers")) == len(armed.interventions)


def test_arms_are_no_models_of_the_summary(armed: Found) -> None:
    assert armed.plain is not None
    report = report_of(armed)

    assert {group.target for group in armed.plain.groups} == {"a"}
    assert {loss.target for loss in armed.plain.losses} == {"a"}
    assert report.summary.lead.startswith("One model answered")


def test_a_study_without_arms_has_no_such_section(rated: Found) -> None:
    assert arms(rated) is None
    assert rated.plain is rated.measured


def test_correction_stands_beside_false_alarms(armed: Found) -> None:
    section = alarms(armed)
    beside = table(section, "table-alarms")
    assert armed.alarms is not None
    first = armed.alarms.pairs[0]

    assert (values(beside, "pcr")[0], values(beside, "alarms")[0]) == (
        first.pcr.value,
        first.false_alarms.value,
    )
    assert "40 questions without a misconception were asked as well" in words(section)


def test_controls_are_weighed_by_the_chance_of_their_draw(armed: Found) -> None:
    assert armed.alarms is not None

    assert armed.alarms.is_weighted
    assert values(table(alarms(armed), "table-controls"), "n") == [40, 40]


def test_warnings_name_settings_as_the_page_does(armed: Found) -> None:
    said = words(alarms(armed))

    assert "a in target-turn has no control" in said
    assert "target_turn" not in said


def test_a_study_without_controls_has_no_false_alarms(rated: Found) -> None:
    assert alarms(rated) is None


def test_correction_is_weighed_by_harm(armed: Found) -> None:
    section = harm(armed)
    assert armed.severity is not None

    assert values(table(section, "table-harm"), "weighted") == [
        group.weighted_pcr.value for group in armed.severity.groups
    ]
    assert set(column(table(section, "table-harm-classes"), "harm")) == {"serious"}
    assert column(table(section, "table-standing"), "setting") == [
        "Multi-turn",
        "Multi-turn",
        "Multi-turn",
        "Multi-turn",
        "Intervention",
        "Intervention",
    ]
    assert "mild 1, serious 2 and urgent 4" in words(section)


def test_labels_without_harm_classes_weigh_nothing(tmp_path: Path) -> None:
    import msgspec

    from threadmed.store import write_records

    folder = write_run(tmp_path, n_threads=3)
    labels = [
        msgspec.structs.replace(label, harm=None) if hasattr(label, "harm") else label
        for label in read_found(folder).labels
    ]
    write_records(folder.labels, labels)

    assert harm(read_found(folder)) is None


def test_experts_harm_classes_go_before_those_of_the_labels(tmp_path: Path) -> None:
    folder = write_run(tmp_path, n_threads=3)
    name = read_found(folder).marked[0].thread_id
    folder.ratings.mkdir(exist_ok=True)
    folder.harms.write_text(f"item,rater,value,thread_id,turn\ni,ann,urgent,{name},2\n")

    section = harm(read_found(folder))

    classes = column(table(section, "table-harm-classes"), "harm")
    assert set(classes) == {"serious", "urgent"}


def test_numbers_of_arms_lead_to_their_answers(armed: Found) -> None:
    scores = table(correction(armed), "table-correction")
    links = {
        row[0].text: [c.href for c in row if getattr(c, "href", "")]
        for row in scores.rows
    }

    assert set(links) == {"a", "a+warn", "a+mend"}
    assert links["a+mend"][0] == (
        "conversations.html#model=a%2Bmend&setting=intervention&score=1"
    )


def test_the_viewer_holds_arms_and_what_was_changed(armed: Found) -> None:
    threads = list(conversations(armed))
    changes = [change for thread in threads for change in thread.changes]
    made = [each for each in armed.interventions if each.is_made]
    mend = targets_of(armed).index("a+mend")

    assert targets_of(armed) == ["a", "a+warn", "a+mend"]
    assert settings_of(armed)[-1] == "intervention"
    assert {change.target for change in changes} == {mend}
    assert sum(change.replaced for change in changes) == len(made)
    assert {change.words for change in changes if change.replaced} == {
        "then replaced by the physician\u2019s: it failed"
    }
    assert any(item.target == mend for thread in threads for item in thread.items)


def test_a_control_is_never_shown_as_a_belief_that_was_not_noticed(
    armed: Found,
) -> None:
    controls = {
        (row.thread_id, row.turn, row.target): row.score
        for row in armed.scores
        if not row.misconception and row.setting == "multi_turn"
    }
    names = targets_of(armed)
    met = {
        item.state
        for thread in conversations(armed)
        for item in thread.items
        if (thread.thread_id, item.turn, names[item.target]) in controls
        and settings_of(armed)[item.setting] == "multi_turn"
    }

    assert met == {"g", "h", "i"}
    assert all(states()[letter].score is None for letter in met)
    assert "control" in states()["i"].meaning
