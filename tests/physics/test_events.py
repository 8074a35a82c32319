"""Events against the contract: what is counted, what is named, and in which order."""

import json
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ligament.extensions.rigid_bodies import MotionKind
from ligament.physics.engines import Overlap
from ligament.physics.events import Event, EventLog, EventType
from ligament.physics.scene import Body, Collider, Pose, Scene, Trigger

ENTER, EXIT, BEGIN, END = EventType


def make_body(node, kind=MotionKind.DYNAMIC, *, is_declared=True):
    still = np.zeros(3)
    return Body(
        node=node,
        kind=kind,
        pose=None,
        mass=None,
        linear_velocity=still,
        angular_velocity=still,
        is_declared=is_declared,
    )


def make_collider(node, body, *, is_sensor=False):
    pose = Pose(np.zeros(3), np.array([0.0, 0.0, 0.0, 1.0]))
    return Collider(node=node, body=body, shape=None, pose=pose, material=None, is_sensor=is_sensor)


# Bodies and colliders of the scene that most tests use. Nodes differ from indices on purpose.
CRATE, CART, FLOOR, LIFT, ZONES = range(5)
CRATE_LEFT, CRATE_RIGHT, CART_BOX, CART_SENSOR, FLOOR_BOX, LIFT_BOX, ZONE_A, ZONE_B = range(8)


@pytest.fixture
def log():
    """A crate of two colliders, a cart with a trigger of its own, a floor, a lift, two zones.

    Node 70 takes the two zones (71, 72) as one; node 60 takes that and the cart's trigger.
    """
    scene = Scene(
        bodies=(
            make_body(10),
            make_body(20, MotionKind.KINEMATIC),
            make_body(30, MotionKind.STATIC, is_declared=False),
            # An animated static collider: it moves, but the file declares no body.
            make_body(40, MotionKind.KINEMATIC, is_declared=False),
            make_body(71, MotionKind.STATIC, is_declared=False),
        ),
        colliders=(
            make_collider(11, CRATE),
            make_collider(12, CRATE),
            make_collider(20, CART),
            make_collider(21, CART, is_sensor=True),
            make_collider(30, FLOOR),
            make_collider(40, LIFT),
            make_collider(71, ZONES, is_sensor=True),
            make_collider(72, ZONES, is_sensor=True),
        ),
        triggers=(
            Trigger(node=71, colliders=(ZONE_A,)),
            Trigger(node=72, colliders=(ZONE_B,)),
            Trigger(node=70, colliders=(ZONE_A, ZONE_B)),
            Trigger(node=21, colliders=(CART_SENSOR,)),
            Trigger(node=60, colliders=(ZONE_A, ZONE_B, CART_SENSOR)),
        ),
    )
    return EventLog(scene)


def starts(*pairs):
    return [Overlap(a, b, True) for a, b in pairs]


def ends(*pairs):
    return [Overlap(a, b, False) for a, b in pairs]


def reported(log):
    """The events without their times: type, trigger, collider, body."""
    return [event[1:5] for event in log.events]


def test_a_leaf_and_all_compounds_above_it_report(log):
    log.record(0.5, starts((ZONE_A, CRATE_LEFT)))
    assert log.events == [
        Event(0.5, ENTER, 60, 11, 10),
        Event(0.5, ENTER, 70, 11, 10),
        Event(0.5, ENTER, 71, 11, 10),
    ]


def test_a_body_enters_once_and_leaves_once(log):
    log.record(1.0, starts((CRATE_RIGHT, ZONE_B)))
    log.record(2.0, starts((CRATE_LEFT, ZONE_B)))
    log.record(3.0, ends((CRATE_RIGHT, ZONE_B)))
    assert reported(log) == [(ENTER, trigger, 12, 10) for trigger in (60, 70, 72)]
    log.record(4.0, ends((CRATE_LEFT, ZONE_B)))
    # The one that caused the last exit is named, not the one that entered.
    assert reported(log)[3:] == [(EXIT, trigger, 11, 10) for trigger in (60, 70, 72)]
    assert {event.time for event in log.events[3:]} == {4.0}


def test_a_compound_holds_what_goes_from_one_member_to_the_other(log):
    log.record(1.0, starts((ZONE_A, CRATE_LEFT)))
    log.record(2.0, starts((ZONE_B, CRATE_LEFT)))
    log.record(3.0, ends((ZONE_A, CRATE_LEFT)))
    log.record(4.0, ends((ZONE_B, CRATE_LEFT)))
    by_trigger = {
        node: [(e.time, e.type) for e in log.events if e.trigger == node] for node in (70, 71, 72)
    }
    assert by_trigger == {
        71: [(1.0, ENTER), (3.0, EXIT)],
        72: [(2.0, ENTER), (4.0, EXIT)],
        70: [(1.0, ENTER), (4.0, EXIT)],
    }


@pytest.mark.parametrize("turn", [1, -1])
def test_one_shape_takes_over_from_another_in_one_state(log, turn):
    log.record(1.0, starts((ZONE_A, CRATE_LEFT)))
    swap = [Overlap(ZONE_A, CRATE_LEFT, False), Overlap(ZONE_A, CRATE_RIGHT, True)]
    log.record(2.0, swap[::turn])
    assert len(log.events) == 3
    log.record(3.0, ends((ZONE_A, CRATE_RIGHT)))
    assert reported(log)[3:] == [(EXIT, trigger, 12, 10) for trigger in (60, 70, 71)]


def test_passing_through_within_one_state_is_an_enter_and_an_exit(log):
    log.record(1.0, [*starts((CART_BOX, ZONE_A)), *ends((CART_BOX, ZONE_A))])
    assert reported(log) == [
        *((ENTER, trigger, 20, 20) for trigger in (60, 70, 71)),
        *((EXIT, trigger, 20, 20) for trigger in (60, 70, 71)),
    ]
    log.record(2.0, starts((CART_BOX, ZONE_A)))
    assert len(log.events) == 9


def test_static_colliders_have_no_body_and_count_each_for_itself(log):
    log.record(0.0, starts((CART_SENSOR, FLOOR_BOX), (LIFT_BOX, CART_SENSOR)))
    assert reported(log) == [
        (ENTER, 21, 30, None),
        (ENTER, 21, 40, None),
        (ENTER, 60, 30, None),
        (ENTER, 60, 40, None),
    ]


def test_two_colliders_of_a_static_body_are_two():
    scene = Scene(
        bodies=(make_body(1, MotionKind.STATIC), make_body(5)),
        colliders=(make_collider(2, 0), make_collider(3, 0), make_collider(5, 1, is_sensor=True)),
        triggers=(Trigger(node=5, colliders=(2,)),),
    )
    fixed = EventLog(scene)
    fixed.record(0.0, starts((0, 2), (1, 2)))
    assert reported(fixed) == [(ENTER, 5, 2, None), (ENTER, 5, 3, None)]


def test_triggers_do_not_report_triggers_nor_their_own_body(log):
    log.record(0.0, starts((ZONE_A, CART_SENSOR), (CART_BOX, CART_SENSOR), (ZONE_A, ZONE_B)))
    log.record(1.0, ends((ZONE_A, CART_SENSOR), (CART_BOX, CART_SENSOR), (ZONE_A, ZONE_B)))
    assert log.events == []


def test_a_sensor_of_no_trigger_is_silent():
    scene = Scene(
        bodies=(make_body(0), make_body(1)),
        colliders=(make_collider(0, 0), make_collider(1, 1, is_sensor=True)),
    )
    log = EventLog(scene)
    log.record(0.0, starts((0, 1)))
    assert log.events == []


@pytest.mark.parametrize("pair", [(CRATE_LEFT, FLOOR_BOX), (FLOOR_BOX, CRATE_LEFT)])
def test_contacts_name_the_lower_collider_first(log, pair):
    log.record(0.25, starts(pair))
    log.record(0.5, ends(pair))
    assert log.events == [
        Event(0.25, BEGIN, None, 11, 10, 30, None),
        Event(0.5, END, None, 11, 10, 30, None),
    ]


def test_contacts_are_one_for_each_pair_of_colliders(log):
    log.record(0.0, starts((CRATE_LEFT, FLOOR_BOX), (FLOOR_BOX, CRATE_RIGHT)))
    log.record(1.0, starts((LIFT_BOX, FLOOR_BOX), (CART_BOX, CRATE_RIGHT)))
    assert [event[2:] for event in log.events] == [
        (None, 11, 10, 30, None),
        (None, 12, 10, 30, None),
        (None, 12, 10, 20, 20),
        (None, 30, None, 40, None),
    ]


def test_events_of_one_time_come_by_type_and_then_by_node(log):
    log.record(1.0, starts((ZONE_A, CRATE_RIGHT), (CRATE_LEFT, FLOOR_BOX)))
    del log.events[:]
    log.record(
        2.0,
        [
            *starts((CRATE_LEFT, CART_BOX)),
            *ends((FLOOR_BOX, CRATE_LEFT), (CRATE_RIGHT, ZONE_A)),
            *starts((CART_BOX, ZONE_B), (CRATE_RIGHT, CART_BOX)),
        ],
    )
    assert [(event.type, event.trigger, event.collider) for event in log.events] == [
        (ENTER, 60, 20),
        (ENTER, 70, 20),
        (ENTER, 72, 20),
        (EXIT, 60, 12),
        (EXIT, 70, 12),
        (EXIT, 71, 12),
        (BEGIN, None, 11),
        (BEGIN, None, 12),
        (END, None, 11),
    ]


def test_an_end_without_a_start_says_nothing(log):
    log.record(0.0, ends((ZONE_A, CRATE_LEFT), (CRATE_LEFT, FLOOR_BOX)))
    assert log.events == []
    log.record(1.0, starts((ZONE_A, CRATE_LEFT)))
    assert len(log.events) == 3


def test_json_has_exactly_the_members_of_the_contract(log):
    log.record(0.0, starts((ZONE_A, FLOOR_BOX), (CRATE_LEFT, FLOOR_BOX)))
    first, last = log.events[0].to_dict(), log.events[-1].to_dict()
    assert json.loads(json.dumps(first)) == {
        "time": 0.0,
        "type": "trigger_enter",
        "trigger": 60,
        "collider": 30,
        "body": None,
    }
    assert json.loads(json.dumps(last)) == {
        "time": 0.0,
        "type": "contact_begin",
        "trigger": None,
        "collider": 11,
        "body": 10,
        "other_collider": 30,
        "other_body": None,
    }


def test_going_back_forgets_what_came_after_and_repeats_it(log):
    log.record(0.0, starts((ZONE_A, CRATE_LEFT), (CRATE_LEFT, FLOOR_BOX)))
    state = log.state()
    later = [*starts((ZONE_A, CRATE_RIGHT)), *ends((ZONE_A, CRATE_LEFT), (CRATE_LEFT, FLOOR_BOX))]
    final = ends((ZONE_A, CRATE_RIGHT))
    for _ in range(2):
        log.record(1.0, later)
        log.record(2.0, final)
        reported_once = list(log.events)
        log.restore(state)
        assert log.events == reported_once[:4]
    log.record(1.0, later)
    log.record(2.0, final)
    assert log.events == reported_once
    assert [event.type for event in log.events[4:]] == [END, EXIT, EXIT, EXIT]


def test_a_state_does_not_change_with_the_log(log):
    state = log.state()
    log.record(0.0, starts((ZONE_A, CRATE_LEFT)))
    log.restore(state)
    log.record(0.0, ends((ZONE_A, CRATE_LEFT)))
    assert log.events == []
    assert state == log.state()


def test_a_scene_with_nothing_in_it():
    log = EventLog(Scene())
    log.record(0.0, [])
    assert log.events == []


# --- against a slow log that keeps sets of shapes ---

COUNT = 14


def random_scene(chance):
    kinds = [MotionKind.DYNAMIC, MotionKind.KINEMATIC, MotionKind.STATIC]
    bodies = tuple(
        make_body(100 + i, chance.choice(kinds), is_declared=chance.random() < 0.7)
        for i in range(6)
    )
    nodes = chance.sample(range(100), COUNT)
    colliders = tuple(
        make_collider(node, chance.randrange(6), is_sensor=chance.random() < 0.4) for node in nodes
    )
    sensors = [i for i, each in enumerate(colliders) if each.is_sensor]
    triggers = tuple(Trigger(node=colliders[i].node, colliders=(i,)) for i in sensors) + tuple(
        Trigger(node=200 + k, colliders=tuple(chance.sample(sensors, len(sensors) // 2)))
        for k in range(3)
    )
    return Scene(bodies=bodies, colliders=colliders, triggers=triggers)


class SlowLog:
    """The contract word by word: for each trigger and party, the set of overlapping shapes."""

    def __init__(self, scene):
        self.scene, self.inside, self.events = scene, {}, set()

    def record(self, time, overlaps):
        before = {key: frozenset(pairs) for key, pairs in self.inside.items()}
        for a, b, started, _ in overlaps:
            for key in self.keys(a, b):
                pairs = self.inside.setdefault(key, set())
                (pairs.add if started else pairs.discard)(frozenset((a, b)))
        for key, pairs in self.inside.items():
            was = bool(before.get(key))
            if was != bool(pairs):
                kinds = (ENTER, EXIT) if key[0] == "trigger" else (BEGIN, END)
                self.events.add((time, kinds[was], *key[1:]))

    def keys(self, a, b):
        one, other = self.scene.colliders[a], self.scene.colliders[b]
        if one.is_sensor == other.is_sensor:
            if not one.is_sensor:
                yield ("contact", *sorted((one.node, other.node)))
            return
        sensor, solid, met = (a, one, other) if one.is_sensor else (b, other, one)
        if solid.body != met.body:
            for trigger in self.scene.triggers:
                if sensor in trigger.colliders:
                    yield ("trigger", trigger.node, self.party(met))

    def party(self, collider):
        body = self.scene.bodies[collider.body]
        static = body.kind is MotionKind.STATIC or not body.is_declared
        return collider.node if static else body.node


def in_its_words(event):
    if event.trigger is None:
        return (event.time, event.type, event.collider, event.other_collider)
    party = event.collider if event.body is None else event.body
    return (event.time, event.type, event.trigger, party)


@given(st.integers(0, 2**32))
def test_random_overlaps_against_sets_of_shapes(seed):
    chance = random.Random(seed)
    scene = random_scene(chance)
    log, slow, touching = EventLog(scene), SlowLog(scene), set()
    for step in range(12):
        flipped = chance.sample([(a, b) for a in range(COUNT) for b in range(a)], 15)
        overlaps = [Overlap(a, b, (a, b) not in touching) for a, b in flipped]
        touching ^= set(flipped)
        log.record(step, overlaps)
        slow.record(step, overlaps)
    words = [in_its_words(event) for event in log.events]
    assert set(words) == slow.events
    assert len(words) == len(slow.events)


@given(st.integers(0, 2**32))
def test_the_order_in_which_an_engine_reports_does_not_matter(seed):
    chance = random.Random(seed)
    scene = random_scene(chance)
    overlaps = starts(*((a, b) for a in range(COUNT) for b in range(a)))
    logs = [EventLog(scene) for _ in range(2)]
    for log in logs:
        log.record(0.0, chance.sample(overlaps, len(overlaps)))
        log.record(1.0, [Overlap(b, a, False) for a, b, *_ in overlaps])
    assert logs[0].events == logs[1].events
