// Whose turn it is: groups share equally, members inside a group too, and whoever has used little goes first.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { FairQueue, type Admission, type Owner } from "../../../src/std/fair-queue.ts";

const everybody: Admission<string> = { group: () => true, member: () => true, item: () => true };

/** A queue of items named by their owners, as `group/member/number`. */
class Fairness {
  readonly queue = new FairQueue<string>();

  add(group: string, member: string, { count = 1, costMs = 1, first = 1 } = {}): void {
    for (let number = first; number < first + count; number++)
      this.queue.add(`${group}/${member}/${number}`, { group, member }, { costMs });
  }

  /** Works on what comes next; each item takes as long as said. */
  work(turns: number, workMs: (item: string) => number = () => 1): string[] {
    return Array.from({ length: turns }, () => {
      const next = this.queue.peek(everybody) ?? assert.fail("nothing waits");
      this.queue.begin(next.item, next.owner, 1);
      this.queue.end(next.owner, { costMs: 1, workMs: workMs(next.item) });
      return next.item;
    });
  }
}

suite("FairQueue", () => {
  test("gives items of one owner in their order", () => {
    const fair = new Fairness();
    fair.add("a", "x", { count: 4 });
    assert.deepEqual(fair.work(4), ["a/x/1", "a/x/2", "a/x/3", "a/x/4"]);
    assert.equal(fair.queue.size, 0);
    assert.equal(fair.queue.peek(everybody), undefined);
  });

  test("gives one of a group that has used nothing before all others of one that has used much", () => {
    const fair = new Fairness();
    fair.add("attacker", "x", { count: 8 });
    fair.work(1, () => 10_000);
    fair.add("honest", "y");
    assert.deepEqual(fair.work(2), ["honest/y/1", "attacker/x/2"]);
  });

  test("shares work, not turns: a group with long items has as many fewer of them", () => {
    const fair = new Fairness();
    fair.add("long", "x", { count: 20 });
    fair.add("short", "y", { count: 100 });
    const done = fair.work(99, (item) => (item.startsWith("long") ? 10 : 1));
    const long = done.filter((item) => item.startsWith("long")).length;
    assert.equal(long, 9);
  });

  test("shares work among the members of a group, whatever their number of items", () => {
    const fair = new Fairness();
    fair.add("a", "crowd", { count: 50 });
    fair.add("a", "single");
    assert.ok(fair.work(2).includes("a/single/1"));
  });

  test("has many members of one group count as one beside another group", () => {
    const fair = new Fairness();
    for (let member = 0; member < 50; member++) fair.add("many", `m${member}`);
    fair.add("one", "x", { count: 10 });
    const done = fair.work(20);
    assert.equal(done.filter((item) => item.startsWith("one")).length, 10);
  });

  test("lets nobody save up: a group that was away has its share from now on, and no more", () => {
    const fair = new Fairness();
    fair.add("busy", "x", { count: 100 });
    fair.work(50, () => 1_000);
    fair.add("late", "y", { count: 50 });
    const late = fair.work(20, () => 1_000).filter((item) => item.startsWith("late"));
    assert.ok(late.length === 10 || late.length === 11, `${late.length}`);
  });

  test("remembers what a group used while others waited, when it comes again", () => {
    const fair = new Fairness();
    fair.add("honest", "y", { count: 3 });
    fair.add("attacker", "x");
    fair.work(2, (item) => (item.startsWith("attacker") ? 10_000 : 1));
    fair.add("attacker", "x", { first: 2 });
    assert.deepEqual(fair.work(3), ["honest/y/2", "honest/y/3", "attacker/x/2"]);
  });

  test("gives the small before the large of equals, but not for ever", () => {
    const fair = new Fairness();
    fair.add("a", "large", { costMs: 20 });
    const done: string[] = [];
    for (let number = 0; number < 200 && !done.includes("a/large/1"); number++) {
      fair.add("a", `small${number}`);
      done.push(...fair.work(1));
    }
    assert.equal(done[0], "a/small0/1");
    assert.ok(done.length < 200, "small ones that come all the time do not keep it out");
  });

  test("gives only what is admitted", () => {
    const fair = new Fairness();
    fair.add("a", "x");
    fair.add("b", "y");
    fair.add("b", "z");
    const not = (no: Owner, item = ""): Admission<string> => ({
      group: (group) => group !== no.group,
      member: ({ member }) => member !== no.member,
      item: (each) => each !== item,
    });
    assert.equal(fair.queue.peek(not({ group: "a", member: "y" }))?.item, "b/z/1");
    assert.equal(fair.queue.peek(not({ group: "b", member: "x" })), undefined);
    assert.equal(fair.queue.peek(not({ group: "", member: "" }, "a/x/1"))?.item, "b/y/1");
  });

  test("gives an item that several want at the first turn of any of them, once", () => {
    const fair = new Fairness();
    fair.add("attacker", "x", { count: 3 });
    fair.work(1, () => 10_000);
    fair.queue.add("attacker/x/3", { group: "honest", member: "y" }, { costMs: 1 });
    assert.deepEqual(fair.work(2), ["attacker/x/3", "attacker/x/2"]);
    assert.equal(fair.queue.size, 0);
  });

  test("says who has used less, work under way included", () => {
    const fair = new Fairness();
    fair.add("a", "x", { count: 2 });
    fair.add("a", "y");
    fair.add("b", "z");
    fair.work(1, () => 5);
    const [x, y, z] = [
      { group: "a", member: "x" },
      { group: "a", member: "y" },
      { group: "b", member: "z" },
    ];
    assert.equal(fair.queue.hasUsedLess(y, x, 0), true);
    assert.equal(fair.queue.hasUsedLess(x, y, 0), false);
    assert.equal(fair.queue.hasUsedLess(x, y, 100), true);
    assert.equal(fair.queue.hasUsedLess(z, x, 0), true);
  });
});
