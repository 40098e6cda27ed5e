import { api, type Answer } from "../../api/client.ts";
import { digitsOf } from "../../domain/pairing.ts";
import { Button } from "../../ui/button.tsx";
import { useSecondsLeft } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { textOf, Form, TextField, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Countdown } from "../../ui/graphics/countdown.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { HowTo } from "./by-qr.tsx";
import { PAIR } from "../../texts/catalogs.ts";
import { serverNow } from "../../api/server-time.ts";

type Code = Answer<"POST /connections/{id}/pairing-code">["data"];

export type IssuedCode = Code & { totalSeconds: number };

type PairByCodeProps = {
  id: string;
  isOpen: boolean;
  /** Kept in the page's state, so that it survives switching tabs. */
  code: IssuedCode | null;
  onCode: (code: IssuedCode) => void;
};

export function PairByCode({ id, isOpen, code, onCode }: PairByCodeProps) {
  const texts = useTexts(PAIR);
  const form = useForm(async (fields, click) => {
    const phone_number = digitsOf(textOf(fields, "phone_number"));
    if (!isOpen) await api("POST /connections/{id}/connect", { id, force_new_pairing: false }, { click: `${click}-connect` });
    const { data } = await api("POST /connections/{id}/pairing-code", { id, phone_number }, { click });
    onCode({ ...data, totalSeconds: Math.max(1, Math.round((Date.parse(data.expires_at) - serverNow()) / 1_000)) });
  });
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <div className="grid content-start gap-4">
        <Form form={form} className="grid max-w-80 gap-4">
          <TextField
            label={texts.phone}
            name="phone_number"
            hint={texts.phoneHint}
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            required
            className="private"
            defaultValue={code?.phone_number}
            onInput={({ currentTarget }) => {
              const { length } = digitsOf(currentTarget.value);
              currentTarget.setCustomValidity(length >= 7 && length <= 15 ? "" : texts.phoneWrong);
            }}
          />
          <FormError refused={form.refused} />
          <Button type="submit" kind={code === null ? "primary" : "plain"} busy={form.busy} className="justify-self-start">
            {code === null ? texts.makeCode : texts.makeAnother}
          </Button>
        </Form>
        {code !== null && <ShownCode key={code.code} code={code} totalSeconds={code.totalSeconds} />}
      </div>
      <HowTo title={texts.howToType} lines={texts.howCode} />
    </div>
  );
}

function ShownCode({ code: { code, expires_at }, totalSeconds }: { code: Code; totalSeconds: number }) {
  const texts = useTexts(PAIR);
  const left = useSecondsLeft(Date.parse(expires_at));
  if (left === 0) return <p role="status">{texts.codeOver}</p>;
  return (
    <section aria-label={texts.yourCode} className="flex flex-wrap items-center gap-4">
      <p role="status" className="font-mono text-2xl tracking-widest select-all">
        {code}
      </p>
      <Countdown until={expires_at} totalSeconds={totalSeconds} />
      <CopyButton value={code} label={texts.copyCode} />
    </section>
  );
}
