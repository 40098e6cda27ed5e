import { ListTree, Text } from "lucide-react";
import { useState } from "react";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Button } from "../button.tsx";
import { Code } from "./code.tsx";
import { CopyButton } from "./copy.tsx";

type Value = null | boolean | number | string | readonly Value[] | { readonly [name: string]: Value };

const OPEN_DEPTH = 3;

export function Json({ text }: { text: string }) {
  const texts = useTexts(UI);
  const [raw, setRaw] = useState(false);
  const parsed = parse(text);
  if (parsed === undefined) return <Code text={text} wrap />;
  return (
    <div className="grid min-w-0 gap-2">
      <div className="flex flex-wrap gap-2">
        <Button kind="quiet" icon={raw ? ListTree : Text} onClick={() => setRaw(!raw)}>
          {raw ? texts.tree : texts.raw}
        </Button>
        {!raw && <CopyButton kind="quiet" value={text} />}
      </div>
      {raw ? (
        <Code lang="JSON" text={JSON.stringify(parsed, null, 2)} copied={text} />
      ) : (
        <div className="min-w-0 overflow-x-auto rounded-md border border-line p-3 font-mono text-code">
          <Node value={parsed} depth={0} />
        </div>
      )}
    </div>
  );
}

function parse(text: string): Value | undefined {
  try {
    return JSON.parse(text) as Value;
  } catch {
    return undefined;
  }
}

function Node({ name, value, depth }: { name?: string; value: Value; depth: number }) {
  const texts = useTexts(UI);
  const label = name === undefined ? null : <span className="text-accent">{name}: </span>;
  if (value === null || typeof value !== "object") {
    return (
      <div className="break-words">
        {label}
        <Leaf value={value} />
      </div>
    );
  }
  const list = Array.isArray(value);
  const entries = Object.entries(value) as [string, Value][];
  if (entries.length === 0) {
    return (
      <div>
        {label}
        {list ? "[]" : "{}"}
      </div>
    );
  }
  return (
    <details open={depth < OPEN_DEPTH && entries.length <= 40}>
      <summary className="min-h-6 cursor-pointer rounded-md">
        {label}
        <span className="text-soft">
          {list ? "[" : "{"} {texts.entries(entries.length)} {list ? "]" : "}"}
        </span>
      </summary>
      <div className="border-l border-line pl-4">
        {entries.map(([key, entry]) => (
          <Node key={key} name={key} value={entry} depth={depth + 1} />
        ))}
      </div>
    </details>
  );
}

function Leaf({ value }: { value: null | boolean | number | string }) {
  if (typeof value === "string") return <span className="text-good">{JSON.stringify(value)}</span>;
  return <span className="text-info">{String(value)}</span>;
}
