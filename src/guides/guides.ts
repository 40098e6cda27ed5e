// Markdown guides shown before each API reference. Texts and code come from src/guides and src/guides/snippets.
import texts from "./guide-texts.json" with { type: "json" };

export type Api = "connection" | "account";

/** A table in a guide, whose cells may contain Markdown. */
export type GuideTable = { columns: readonly string[]; rows: readonly (readonly string[])[] };

/** Values filled into a guide: this deployment's address, and tables generated from code. */
export type GuideContext = { url: string; events: GuideTable; errors: GuideTable };

/** Each language's file extension, its name for readers, and its name in Markdown code fences, in display order. */
const CODE_LANGUAGES = [
  ["sh", "curl", "sh"],
  ["js", "JavaScript", "js"],
  ["py", "Python", "python"],
  ["php", "PHP", "php"],
  ["go", "Go", "go"],
] as const;

export type SnippetLanguage = (typeof CODE_LANGUAGES)[number][0];

const SNIPPETS: Readonly<Record<Api, Readonly<Record<string, Readonly<Partial<Record<string, string>>>>>>> = texts.snippets;

/** One snippet's code with the address filled in, or null if the snippet lacks that language. */
export function snippet(api: Api, name: string, language: SnippetLanguage, url: string): string | null {
  return SNIPPETS[api][name]?.[language]?.replaceAll("{{url}}", url) ?? null;
}

export function snippetNames(api: Api): string[] {
  return Object.keys(SNIPPETS[api]);
}

export function guide(api: Api, language: keyof typeof texts.guides, { url, events, errors }: GuideContext): string {
  return texts.guides[language][api]
    .join("\n\n")
    .replaceAll(/\{\{snippet ([\w-]+)\}\}/g, (_, name: string) => codeBlocks(api, name, url))
    .replaceAll("{{events}}", () => table(events))
    .replaceAll("{{errors}}", () => table(errors))
    .replaceAll("{{url}}", url);
}

/** The help for people who use the dashboard. It still contains `{{contact}}`, which differs by deployment. */
export function help(language: keyof typeof texts.guides): string {
  return texts.guides[language].help.join("\n\n");
}

function codeBlocks(api: Api, name: string, url: string): string {
  return CODE_LANGUAGES.flatMap(([suffix, title, fence]) => {
    const code = snippet(api, name, suffix, url);
    return code === null ? [] : [`**${title}**\n\n\`\`\`${fence}\n${code}\n\`\`\``];
  }).join("\n\n");
}

function table({ columns, rows }: GuideTable): string {
  return [columns, columns.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
