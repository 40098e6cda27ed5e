import { useState } from "react";
import { type Call, SNIPPET_LANGUAGES, snippet } from "../../domain/snippets.ts";
import { UI } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { Code } from "./code.tsx";
import { Tabs } from "../tabs.tsx";

const NAMES = { curl: "curl", node: "Node", python: "Python", php: "PHP" } as const;

/** Pass `apiKey` only while it is visible on screen. Otherwise the code reads it from the environment. */
export function Snippets({ call, apiKey = null }: { call: Call; apiKey?: string | null }) {
  const texts = useTexts(UI);
  const [language, setLanguage] = useState<string>("curl");
  const tabs = SNIPPET_LANGUAGES.map((id) => ({
    id,
    label: NAMES[id],
    content: <Code key={id} lang={apiKey === null ? texts.keyFromEnvironment : NAMES[id]} text={snippet(id, call, apiKey)} wrap />,
  }));
  return <Tabs label={texts.callAsCode} tabs={tabs} chosen={language} onChoose={setLanguage} />;
}
