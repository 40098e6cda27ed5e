import type { OutgoingContent } from "../phone/messages/outgoing-content.ts";
import type { CloudNetwork } from "./cloud-network.ts";
import { graphError, type GraphReply } from "./graph/errors.ts";
import type { TemplateBody, TemplateParameter } from "./graph/message-bodies.ts";
import type { CloudNumber, SentMessage, Template } from "./model.ts";

type Filled = { ok: true; content: OutgoingContent; category: SentMessage["category"] } | { ok: false; reply: GraphReply };

const PLACE = /\{\{\s*([\w]+)\s*\}\}/g;

export function templateKey({ waba_id, name, language }: Pick<Template, "waba_id" | "name" | "language">): string {
  return `${waba_id}|${name}|${language}`;
}

export function fillTemplate(cloud: CloudNetwork, { waba_id }: CloudNumber, { name, language, components = [] }: TemplateBody): Filled {
  const template = cloud.documents.get("template", templateKey({ waba_id, name, language: language.code }));
  if (!template || template.status === "PENDING" || template.status === "REJECTED") {
    return refused(132_001, `template name (${name}) does not exist in ${language.code}`);
  }
  if (template.status === "PAUSED") return refused(132_015, `template ${name} is paused`);
  if (template.status === "DISABLED") return refused(132_016, `template ${name} is disabled`);
  const parameters = components.filter(({ type }) => type === "body").flatMap((component) => component.parameters ?? []);
  const places = [...new Set([...template.body.matchAll(PLACE)].map(([, place = ""]) => place))];
  if (parameters.length !== places.length) {
    return refused(
      132_000,
      `body: number of localizable_params (${parameters.length}) does not match the expected number of params (${places.length})`,
    );
  }
  const values = new Map(places.map((place, n) => [place, parameters.find((one) => one.parameter_name === place) ?? parameters[n]]));
  const texts = new Map([...values].map(([place, value]) => [place, value && textOf(value)]));
  if ([...texts.values()].includes(undefined)) return refused(132_012, "body: parameters of this template are texts, amounts and dates");
  const text = template.body.replace(PLACE, (_, place: string) => texts.get(place) ?? "");
  if (text.length > 1_024) return refused(132_005, "the filled text is longer than 1024");
  const payloads = new Map(
    components.filter(({ type }) => type === "button").map(({ index, parameters: [first] = [] }) => [Number(index ?? 0), first?.payload]),
  );
  const buttons = template.buttons.map((title, n) => ({ id: payloads.get(n) ?? title, title }));
  const category = template.category.toLowerCase() as SentMessage["category"];
  return { ok: true, content: { type: "template", text, buttons }, category };
}

function textOf({ type, text, currency, date_time }: TemplateParameter): string | undefined {
  if (type === "currency") return currency?.fallback_value;
  return type === "date_time" ? date_time?.fallback_value : text;
}

function refused(code: number, details: string): Filled {
  return { ok: false, reply: graphError(code, { details, message: `(#${code}) ${details}` }) };
}
