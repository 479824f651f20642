// The assembler of filters: what its rules say is what the kernel will do, on both processors.
import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { allow, assemble, killProcess, refuseWith, type Rule } from "../../../src/jail/bpf.ts";
import { numberOf, type Arch, type Syscall } from "../../../src/std/syscalls.ts";
import { runFilter } from "../../support/bpf.ts";

const auditArch = { arm64: 0xc000_00b7, x64: 0xc000_003e } as const;
const i386 = 0x4000_0003;
const no = refuseWith(1);

for (const arch of ["arm64", "x64"] as const satisfies readonly Arch[]) {
  const answer = (rules: readonly Rule[], call: Syscall, ...args: (number | bigint)[]): number =>
    runFilter(assemble(arch, rules, no), {
      arch: auditArch[arch],
      number: numberOf(call, arch) as number,
      args,
    });

  suite(`a filter for ${arch}`, () => {
    test("does with a call what its rule says, and with any other what is left", () => {
      assert.equal(answer([{ calls: ["read", "write"], do: allow }], "write"), allow);
      assert.equal(answer([{ calls: ["read", "write"], do: allow }], "close"), no);
    });

    test("applies the first rule for a call", () => {
      const rules: Rule[] = [
        { calls: ["read"], do: allow },
        { calls: ["read"], do: killProcess },
      ];
      assert.equal(answer(rules, "read"), allow);
    });

    test("goes on to the rules behind when a condition fails, unless it says what then", () => {
      const when = [{ argument: 0, equals: 7 }];
      const behind: Rule = { calls: ["kill"], do: killProcess };
      assert.equal(answer([{ calls: ["kill"], when, do: allow }, behind], "kill", 7), allow);
      assert.equal(answer([{ calls: ["kill"], when, do: allow }, behind], "kill", 8), killProcess);
      assert.equal(answer([{ calls: ["kill"], when, do: allow, otherwise: no }, behind], "kill", 8), no);
    });

    test("goes on to a rule for another call after a failed condition, with the number loaded anew", () => {
      const rules: Rule[] = [
        { calls: ["kill"], when: [{ argument: 0, equals: numberOf("read", arch) as number }], do: allow },
        { calls: ["read"], do: allow },
      ];
      assert.equal(answer(rules, "kill", 12_345), no);
      assert.equal(answer(rules, "kill", numberOf("read", arch) as number), allow);
    });

    test("needs all conditions", () => {
      const when = [
        { argument: 1, equals: 2 },
        { argument: 3, mask: 0xf0, equals: 0x30 },
      ];
      const rule: Rule = { calls: ["mmap"], when, do: allow };
      assert.equal(answer([rule], "mmap", 0, 2, 0, 0x3f), allow);
      assert.equal(answer([rule], "mmap", 0, 3, 0, 0x3f), no);
      assert.equal(answer([rule], "mmap", 0, 2, 0, 0x4f), no);
    });

    test("looks at the upper half of an argument only where it is told to", () => {
      const narrow: Rule = { calls: ["kill"], when: [{ argument: 0, equals: 0 }], do: allow };
      const wide: Rule = { calls: ["kill"], when: [{ argument: 0, equals: 0, isWide: true }], do: allow };
      assert.equal(answer([narrow], "kill", 2n ** 32n), allow);
      assert.equal(answer([wide], "kill", 2n ** 32n), no);
      assert.equal(answer([wide], "kill", 0), allow);
    });

    test("ends a process that calls by another processor's convention", () => {
      const filter = assemble(arch, [{ calls: ["read"], do: allow }], allow);
      for (const other of [i386, auditArch[arch === "x64" ? "arm64" : "x64"]])
        assert.equal(runFilter(filter, { arch: other, number: 0, args: [] }), killProcess);
    });
  });
}

test("a filter for x64 refuses the numbers of x32, which would mean other calls", () => {
  const filter = assemble("x64", [{ calls: ["read"], do: allow }], allow);
  const call = { arch: auditArch.x64, number: 0x4000_0000, args: [] };
  assert.equal(runFilter(filter, call), refuseWith(38));
  assert.equal(runFilter(filter, { ...call, number: 0x3fff_ffff }), allow);
});

test("a call that a processor does not have is left out of its filter", () => {
  const rules: Rule[] = [{ calls: ["fork"], do: allow }];
  assert.equal(assemble("arm64", rules, no).length, assemble("arm64", [], no).length);
  assert.ok(assemble("x64", rules, no).length > assemble("x64", [], no).length);
});
