// Who gets a lane: those that used little, before those that used much; and nobody waits for ever.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { chooseClaim, lightMs, rankOf, type Claim } from "../../../src/std/fair-turns.ts";
import { halfLifeMs, ServiceMeter } from "../../../src/std/service-meter.ts";

const claim = (given: Partial<Claim>): Claim => ({ usedMs: 0, waitedMs: 0, isBackground: false, ...given });
const free = { lanes: 2, held: 0, heldInBackground: 0 };

suite("a lane", () => {
  test("is given to the one that used the least lately", () => {
    assert.equal(chooseClaim([claim({ usedMs: 900 }), claim({ usedMs: 3 }), claim({ usedMs: 40 })], free), 1);
  });

  test("is given in the order of asking among equals", () => {
    assert.equal(chooseClaim([claim({ waitedMs: 2 }), claim({ waitedMs: 1 }), claim({})], free), 0);
  });

  test("is given to work that somebody waits for before work in the background", () => {
    assert.equal(chooseClaim([claim({ isBackground: true }), claim({ usedMs: 20 })], free), 1);
  });

  test("is given to the background of one that used little before a run of one that used much", () => {
    assert.equal(chooseClaim([claim({ usedMs: 500 }), claim({ isBackground: true })], free), 1);
  });

  test("is left to runs when all but one are held by work in the background", () => {
    const load = { lanes: 2, held: 1, heldInBackground: 1 };
    assert.equal(chooseClaim([claim({ isBackground: true })], load), undefined);
    assert.equal(chooseClaim([claim({ isBackground: true }), claim({ usedMs: 5_000 })], load), 1);
  });

  test("that is the only one can be held by work in the background", () => {
    assert.equal(chooseClaim([claim({ isBackground: true })], { lanes: 1, held: 0, heldInBackground: 0 }), 0);
  });

  test("beyond those for everyone is given only to runs of those that used little", () => {
    const load = { lanes: 2, held: 2, heldInBackground: 1 };
    const heavy = claim({ usedMs: lightMs + 1, waitedMs: 60_000 });
    assert.equal(chooseClaim([heavy, claim({ isBackground: true })], load), undefined);
    assert.equal(chooseClaim([heavy, claim({ usedMs: lightMs })], load), 1);
    assert.equal(chooseClaim([claim({})], { ...load, held: 3 }), undefined);
  });

  test("is given in the end to the one that used the most, however many come that used nothing", () => {
    const heavy = { usedMs: 1_000, waitedMs: 8_001 };
    assert.equal(chooseClaim([claim({}), claim(heavy)], free), 1);
    assert.ok(rankOf(claim({ usedMs: 1_000 })) > rankOf(claim({})));
  });
});

suite("a meter of what was used lately", () => {
  test("adds what readings of a growing total show, and ignores one that falls", () => {
    const meter = new ServiceMeter();
    meter.note(30, 0);
    meter.note(50, 0);
    meter.note(10, 0);
    meter.note(50, 0);
    assert.equal(meter.at(0), 50);
  });

  test("counts half after each half-life", () => {
    const meter = new ServiceMeter();
    meter.add(80, 1_000);
    assert.equal(meter.at(1_000 + halfLifeMs), 40);
    meter.add(10, 1_000 + halfLifeMs);
    assert.equal(meter.at(1_000 + 2 * halfLifeMs), 25);
  });

  test("of one among twenty that take turns of 900 ms on two lanes stays above what counts as little", () => {
    const meter = new ServiceMeter();
    const roundMs = (20 / 2) * 900;
    for (let turn = 0; turn < 5; turn++) meter.add(900, turn * roundMs);
    assert.ok(meter.at(5 * roundMs) > lightMs, String(meter.at(5 * roundMs)));
  });
});
