// With which others a sandbox may share a cell.

export interface Placement {
  /** Sandboxes of different tenants, and those of none, never share a cell. Null for none. */
  readonly tenant: string | null;
  /** It has a cell to itself. */
  readonly exclusive: boolean;
}

export const anywhere: Placement = Object.freeze({ tenant: null, exclusive: false });

const tenantForm = /^[A-Za-z0-9._:-]{1,128}$/;

export function isTenant(value: unknown): value is string {
  return typeof value === "string" && tenantForm.test(value);
}
