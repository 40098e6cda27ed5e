// The HTML part of an email. Links to this deployment become buttons. All text is escaped, because customers choose names.
import { PRODUCT } from "@gateway/domain/product.ts";

/** The separator between the Portuguese and the English text. */
const LANGUAGES = /\n\n---\n\n/;
const TAGS = ["pt-BR", "en"] as const;
const OPEN: Readonly<Record<(typeof TAGS)[number], string>> = { "pt-BR": "Abrir", en: "Open" };

const CARD = "background:#ffffff;color:#1b1d22;border-radius:12px;padding:16px 24px;margin:0 0 16px";
const BUTTON =
  "display:inline-block;background:#2440c4;color:#ffffff;font-weight:600;padding:12px 20px;border-radius:6px;text-decoration:none";
const PAGE = "margin:0;padding:24px 12px;background:#f7f6f2;font:16px/1.5 system-ui,sans-serif";

export function htmlOf({ subject, text }: { subject: string; text: string }, appUrl: string): string {
  const parts = text.replaceAll("\r\n", "\n").trim().split(LANGUAGES);
  const cards = parts.map((part, at) => {
    const language = TAGS[Math.min(at, TAGS.length - 1)] ?? "en";
    const blocks = part.split(/\n{2,}/).map(
      (block) =>
        `<p>${block
          .split("\n")
          .map((line) => lineOf(line, language, appUrl))
          .join("<br>")}</p>`,
    );
    return `<div lang="${language}" style="${CARD}">${blocks.join("")}</div>`;
  });
  return (
    `<!doctype html><html lang="${TAGS[0]}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
    `<title>${escaped(subject)}</title></head><body style="${PAGE}"><div style="max-width:560px;margin:0 auto">` +
    `<p style="font-weight:600;color:#5a5c63">${escaped(PRODUCT.name)}</p>${cards.join("")}</div></body></html>`
  );
}

function lineOf(line: string, language: (typeof TAGS)[number], appUrl: string): string {
  const address = line.trim();
  if (!address.startsWith(`${appUrl}/`) || /[\s"<>]/.test(address)) return escaped(line);
  return `<a href="${escaped(address)}" style="${BUTTON}">${OPEN[language]}</a><br><span style="font-size:13px;word-break:break-all">${escaped(address)}</span>`;
}

export function escaped(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;");
}
