// Repairs for mistakes in Meta's file, which as published rejects all its own examples. Each repair is one line with its reason.
export type Schema = { [name: string]: any };
export type Schemas = Record<string, Schema>;

const ref = (name: string): Schema => ({ $ref: `#/components/schemas/${name}` });
const nameIn = (reference: Schema): string => String(reference["$ref"]).split("/").at(-1) ?? "";

/** Outgoing messages are named `TextMessage`, …; incoming ones have the same name with a number. */
const INCOMING: Readonly<Record<string, string>> = {
  TextMessage: "TextMessage_2",
  ReactionMessage: "ReactionMessage_1",
  AudioMessage: "AudioMessage_1",
  DocumentMessage: "DocumentMessage_1",
  ImageMessage: "ImageMessage_1",
  StickerMessage: "StickerMessage_1",
  VideoMessage: "VideoMessage_1",
  LocationMessage: "LocationMessage_1",
  BaseMessageProperties: "BaseMessageProperties_1",
  ContactObject: "ContactObject_1",
  ErrorObject: "ErrorObject_2",
};
const OTHER_INCOMING = [
  "ContactSharingMessage",
  "UnsupportedMessage",
  "ButtonMessage",
  "InteractiveMessageReply",
  "OrderMessage",
  "SystemMessage",
];
const TEXT_OR_NUMBER = { type: ["string", "number"] };
const TEXT_OR_INTEGER = { type: ["string", "integer"] };

type Repair = { reason: string; apply: (schemas: Schemas) => void };

export const REPAIRS: readonly Repair[] = [
  { reason: "R1: two closed halves of an allOf refuse each other's fields; the whole is meant to be closed", apply: closeTheWhole },
  { reason: "R2: incoming messages point at the schemas of outgoing ones", apply: pointAtIncoming },
  {
    reason: "R3: recipient_type is optional: Meta's examples leave it out",
    apply: ({ BaseMessageProperties: base }) => without(base, "recipient_type"),
  },
  {
    reason: "R3: language.policy is optional: Meta's examples leave it out",
    apply: ({ LanguageObject: language }) => without(language, "policy"),
  },
  {
    reason: "R3: coordinates are numbers in most of Meta's examples",
    apply: ({ LocationMessage: message }) =>
      Object.assign(message?.["allOf"][1].properties.location.properties, { latitude: TEXT_OR_NUMBER, longitude: TEXT_OR_NUMBER }),
  },
  { reason: "R3: a button's index is a number too, and its pattern a mistake", apply: ofButtons({ index: TEXT_OR_INTEGER }) },
  { reason: "R3: there are more sub types of buttons than are listed", apply: ofButtons({ sub_type: { type: "string" } }) },
];

export function repair(schemas: Schemas, repairs = REPAIRS): Schemas {
  const repaired = structuredClone(schemas);
  for (const { apply } of repairs) apply(repaired);
  return repaired;
}

function closeTheWhole(schemas: Schemas): void {
  for (const schema of Object.values(schemas)) {
    const closed = ((schema["allOf"] ?? []) as Schema[]).filter((member) => member["additionalProperties"] === false);
    for (const member of closed) delete member["additionalProperties"];
    if (closed.length > 0) schema["unevaluatedProperties"] = false;
  }
}

function pointAtIncoming(schemas: Schemas): void {
  const incoming = schemas["IncomingMessage"] ?? {};
  incoming["oneOf"] = incoming["oneOf"].map((one: Schema) => ref(INCOMING[nameIn(one)] ?? nameIn(one)));
  for (const name of [...Object.values(INCOMING), ...OTHER_INCOMING]) {
    const text = JSON.stringify(schemas[name]);
    schemas[name] = JSON.parse(text.replaceAll(/(?<=schemas\/)(\w+)(?=")/g, (target) => INCOMING[target] ?? target)) as Schema;
  }
}

function without(schema: Schema | undefined, name: string): void {
  if (schema !== undefined) schema["required"] = (schema["required"] as string[]).filter((one) => one !== name);
}

function ofButtons(properties: Schema): (schemas: Schemas) => void {
  return ({ TemplateComponent: component, ButtonComponent: button }) => {
    Object.assign(component?.["properties"], properties);
    Object.assign(button?.["allOf"][1].properties, properties);
  };
}
