import itertools

from threadmed.llm.breaker import (
    BREAK_AFTER,
    FIRST_REST_S,
    LONGEST_REST_S,
    OUTAGE_S,
    REFUSED_AFTER,
    Breaker,
)


def breaker(*, before: bool = False) -> Breaker:
    return Breaker("m", has_replied_before=before)


def test_a_model_that_never_replied_is_given_up_after_a_few_lost_requests() -> None:
    watch = breaker(before=True)

    for number in range(BREAK_AFTER):
        assert not watch.why
        assert watch.lost("refused connection", now=float(number)) == 0.0

    assert watch.why.startswith("m cannot be reached: 5 requests in a row failed")
    assert "refused connection; what was paid for is kept, so mend this" in watch.why


def test_an_outage_of_a_model_that_replied_is_sat_out_with_longer_rests() -> None:
    watch = breaker()
    watch.replied(0.0)
    for _ in range(BREAK_AFTER - 1):
        assert watch.lost("gone", now=1.0) == 0.0
    assert watch.failed("gone", now=1.0) == 0.0

    rests = [watch.lost("gone", now=1.0)]
    rests += [watch.failed("gone", now=10.0) for _ in range(4)]

    assert rests == [FIRST_REST_S, 30.0, 60.0, LONGEST_REST_S, LONGEST_REST_S]
    assert not watch.why


def test_an_outage_that_lasts_too_long_gives_the_model_up() -> None:
    for watch, tell in itertools.product((0, 1), repeat=2):
        model = breaker(before=bool(watch))
        model.replied(0.0)
        for _ in range(BREAK_AFTER):
            model.lost("gone", now=1.0)
        method = model.lost if tell else model.failed

        assert method("gone", now=OUTAGE_S - 1) > 0
        assert method("gone", now=OUTAGE_S + 1) == 0.0
        assert "cannot be reached" in model.why


def test_a_reply_ends_an_outage() -> None:
    watch = breaker()
    watch.replied(0.0)
    for _ in range(BREAK_AFTER):
        watch.lost("gone", now=1.0)

    watch.replied(50.0)

    assert watch.failed("gone", now=60.0) == 0.0
    assert watch.lost("gone", now=OUTAGE_S + 40) == 0.0
    assert not watch.why


def test_a_model_that_refuses_everything_is_given_up_in_the_end() -> None:
    watch = breaker()
    for _ in range(REFUSED_AFTER - 1):
        watch.refused("no such parameter")
    assert not watch.why

    watch.refused("no such parameter")

    assert "20 requests in a row failed" in watch.why
    assert "no such parameter" in watch.why


def test_refusals_do_not_break_a_model_that_has_replied_now_or_before() -> None:
    now, before = breaker(), breaker(before=True)
    now.replied(0.0)

    for watch in (now, before):
        for _ in range(2 * REFUSED_AFTER):
            watch.refused("too long")
        assert not watch.why


def test_the_first_reason_to_give_a_model_up_stays() -> None:
    watch = breaker()

    watch.give_up("wrong key")
    watch.give_up("the same again, from a call under way")

    assert watch.why == "wrong key"


def test_a_model_that_refuses_between_its_failures_is_there() -> None:
    watch = breaker(before=True)

    for _ in range(10):
        for _ in range(BREAK_AFTER - 1):
            watch.lost("cut off", now=0.0)
        watch.refused("too long")

    assert not watch.why
