import { runInDurableObject } from "cloudflare:test";

/** All of an object's tables as text; bytes are in hexadecimal. */
export function storedIn(stub: DurableObjectStub): Promise<string> {
  return runInDurableObject(stub as never, (_object, { storage: { sql } }) => {
    const tables = sql.exec<{ name: string }>(
      "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_cf%' ESCAPE '\\' AND sql NOT LIKE 'CREATE VIRTUAL%'",
    );
    return [...tables].map(({ name }) => `${name}: ${[...sql.exec(`SELECT * FROM ${name}`)].map(textOf).join("\n")}`).join("\n\n");
  });
}

function textOf(row: Record<string, unknown>): string {
  return JSON.stringify(row, (_field, value: unknown) =>
    value instanceof ArrayBuffer ? [...new Uint8Array(value)].map((byte) => byte.toString(16).padStart(2, "0")).join("") : value,
  );
}
