// What common clients of the Model Context Protocol want in their settings to start `vivarium mcp`.

type Form = (command: { readonly command: string; readonly args: readonly string[] }) => unknown;

const mcpServers: Form = (vivarium) => ({ mcpServers: { vivarium } });

const forms: Readonly<Record<string, Form>> = {
  // Their settings have the same form.
  claude: mcpServers,
  cursor: mcpServers,
  windsurf: mcpServers,
  gemini: mcpServers,
  vscode: (vivarium) => ({ servers: { vivarium: { type: "stdio", ...vivarium } } }),
  zed: (vivarium) => ({ context_servers: { vivarium } }),
};

export const clientNames: readonly string[] = Object.keys(forms);

/** The settings that start the command with these options; undefined for a client that is not known. */
export function configFor(client: string, options: readonly string[]): unknown {
  const form = Object.hasOwn(forms, client) ? forms[client] : undefined;
  return form?.({ command: "npx", args: ["-y", "vivarium", "mcp", ...options] });
}
