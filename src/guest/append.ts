// Adds to a list by defining, so that no setter on a patched Array.prototype is called.
import { defineProperty } from "../model/wire/intrinsics.ts";

export function append<T>(list: T[], value: T): void {
  const descriptor = { __proto__: null, value, writable: true, enumerable: true, configurable: true };
  defineProperty(list, list.length, descriptor as PropertyDescriptor);
}
