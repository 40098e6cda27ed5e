// The limits for an assistant that uses a key at /mcp (docs/use/mcp.md, "Policy of a key").
import { useState } from "react";
import type { AssistantPolicy } from "@gateway/protocol/assistant.ts";
import { Select, TextArea, textOf } from "../../ui/forms/field.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const LISTED = "list";
const MAX_LISTED = 50;
const RECIPIENT = /^([1-9]\d{6,14}|[\d-]{5,40}@g\.us)$/;

export function AssistantFields({ policy: { confirm, recipients, call_operation } }: { policy: AssistantPolicy }) {
  const texts = useTexts(INTEGRATIONS).assistant;
  const [chosen, setChosen] = useState<string>(Array.isArray(recipients) ? LISTED : recipients);
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-semibold">{texts.title}</legend>
      <p className="text-sm text-soft">{texts.about}</p>
      <Select
        label={texts.confirm}
        name="confirm"
        defaultValue={confirm}
        options={(["always", "new_chats", "never"] as const).map((value) => ({ value, label: texts.confirmations[value] }))}
      />
      <Select
        label={texts.recipients}
        name="recipients"
        value={chosen}
        onChange={({ currentTarget }) => setChosen(currentTarget.value)}
        options={(["replies", LISTED, "any"] as const).map((value) => ({ value, label: texts.recipientKinds[value] }))}
      />
      {chosen === LISTED && (
        <TextArea
          label={texts.listed}
          name="listed"
          hint={texts.listedHint(MAX_LISTED)}
          required
          onInput={({ currentTarget }) => {
            const listed = listedIn(currentTarget.value);
            const wrong = listed.find((each) => !RECIPIENT.test(each));
            const problem = listed.length > MAX_LISTED ? texts.tooMany(MAX_LISTED) : "";
            currentTarget.setCustomValidity(wrong === undefined ? problem : texts.noRecipient(wrong));
          }}
          defaultValue={Array.isArray(recipients) ? recipients.join("\n") : ""}
          autoComplete="off"
          spellCheck={false}
          className="private font-mono"
        />
      )}
      <Check name="call_operation" defaultChecked={call_operation} label={texts.callOperation} hint={texts.callOperationHint} />
    </fieldset>
  );
}

export function assistantPolicyIn(fields: FormData): AssistantPolicy {
  const recipients = textOf(fields, "recipients") as "replies" | "any" | typeof LISTED;
  return {
    confirm: textOf(fields, "confirm") as AssistantPolicy["confirm"],
    recipients: recipients === LISTED ? listedIn(textOf(fields, "listed")) : recipients,
    call_operation: fields.has("call_operation"),
  };
}

/** Reads one phone number or group id per line. Phone numbers may contain spaces and punctuation. */
function listedIn(text: string): string[] {
  const lines = text.split(/[\n,;]+/).map((line) => line.trim());
  const found = lines.filter((line) => line !== "").map((line) => (/^\+?[\d\s().-]+$/.test(line) ? line.replaceAll(/\D/g, "") : line));
  return [...new Set(found)];
}
