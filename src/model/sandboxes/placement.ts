// With which others a sandbox may share a cell, or an isolate.

export interface Placement {
  /** Sandboxes of different tenants, and those of none, never share a cell. Null for none. */
  readonly tenant: string | null;
  /** It has a cell to itself. */
  readonly exclusive: boolean;
  /** It may share an isolate, and the memory that an isolate may have, with other dense sandboxes of its cell. */
  readonly dense: boolean;
}

export const anywhere: Placement = Object.freeze({ tenant: null, exclusive: false, dense: false });

const tenantForm = /^[A-Za-z0-9._:-]{1,128}$/;

export function isTenant(value: unknown): value is string {
  return typeof value === "string" && tenantForm.test(value);
}
