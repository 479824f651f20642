// The tabs of a sandbox, as they stand in the address, and where keys lead between them.
export const tabNames = ["overview", "code", "processes", "call", "logs", "audit"] as const;
export type TabName = (typeof tabNames)[number];

export const tabTitles: Readonly<Record<TabName, string>> = {
  overview: "Overview",
  code: "Code",
  processes: "Processes",
  call: "Call",
  logs: "Logs",
  audit: "Audit",
};

/** Undefined where the key leads nowhere. */
export function tabAfterKey(key: string, tab: TabName): TabName | undefined {
  const place = tabNames.indexOf(tab);
  const count = tabNames.length;
  const steps: Readonly<Record<string, number>> = {
    ArrowRight: (place + 1) % count,
    ArrowLeft: (place + count - 1) % count,
    Home: 0,
    End: count - 1,
  };
  const to = steps[key];
  return to === undefined ? undefined : tabNames[to];
}
