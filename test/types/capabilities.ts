// Capabilities in the files of guests: those of the presets have types, others get theirs by augmentation.
import type * as Capabilities from "vivarium/capabilities";
import {
  aged,
  fetch,
  files,
  untyped,
  type CapabilityError,
  type CapabilityFunction,
  type FetchedPage,
} from "vivarium/capabilities";

declare module "vivarium/capabilities" {
  export function aged(name: string, years?: number): Promise<{ readonly age: number }>;
  export const untyped: CapabilityFunction;
}

type Equal<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function expectType<_Holds extends true>(): void {}

export async function useOf(): Promise<void> {
  const person = await aged("Ann", 3);
  expectType<Equal<typeof person, { readonly age: number }>>();
  // @ts-expect-error its name must be a text
  await aged(1);
  const anything = await untyped(1, "two", [3]);
  expectType<Equal<typeof anything, unknown>>();
  const page = await fetch("https://example.com");
  expectType<Equal<typeof page, FetchedPage>>();
  const names = await files("list", "folder");
  expectType<Equal<typeof names, string[]>>();
  // @ts-expect-error no such verb
  await files("write", "x");
  // @ts-expect-error a capability that nobody declared is no export: it is declared as above
  type _Missing = typeof Capabilities.undeclared;
  expectType<Equal<CapabilityError["code"], "denied" | "invalid" | "refused" | "failed" | "timeout">>();
}
