// The tables about MCP: its tools, and what bounds an agent.
import { tools } from "../../src/mcp/tools/table.ts";
import { readInterface } from "./interfaces.ts";
import type { Table } from "./markdown.ts";

const config = new URL("../../src/mcp/config.ts", import.meta.url);

export function toolTable(): Table {
  const rows = tools.map(({ name, scope, listed }) => [`\`${name}\``, listed.description ?? "", scope]);
  return [["tool", "what it does", "scope"], ...rows];
}

export function agentBoundTable(): Table {
  const rows = readInterface(config, "McpOptions")
    .filter(({ doc }) => /Default: [\d,]+|Default: one hour/.test(doc))
    .map(({ name, doc }) => {
      const [about = "", usual = ""] = doc.split(/ ?Default: /);
      return [`\`${name}\``, usual.replace(/\.$/, ""), about];
    });
  return [["bound", "default", "what it bounds"], ...rows];
}
