import { useState } from "react";
import { TextField } from "../../ui/forms/field.tsx";
import { Snippets } from "../../ui/code/snippets.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";

const SAMPLE_NUMBER = "5511999999999";

/** `phone`: the connection's own number, so that the example reaches nobody else. */
export function FirstCall({ phone, apiKey = null }: { phone: string | null; apiKey?: string | null }) {
  const texts = useTexts(INTEGRATIONS).keys;
  const [to, setTo] = useState(phone ?? "");
  const digits = to.replaceAll(/\D/g, "");
  const call = {
    method: "POST",
    url: `${location.origin}/api/v1/messages/text`,
    body: { to: digits === "" ? SAMPLE_NUMBER : digits, text: texts.example },
  };
  return (
    <div className="grid min-w-0 gap-3">
      <TextField
        label={texts.to}
        name="to"
        hint={texts.toHint}
        inputMode="numeric"
        autoComplete="off"
        value={to}
        placeholder={SAMPLE_NUMBER}
        onChange={({ currentTarget }) => setTo(currentTarget.value)}
        className="private max-w-64"
      />
      <Snippets call={call} apiKey={apiKey} />
    </div>
  );
}
