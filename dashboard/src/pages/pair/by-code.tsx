import { useState } from "react";
import { api, type ResponseBody } from "../../api/client.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { Button } from "../../ui/button.tsx";
import { useSecondsLeft } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { Form, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { phoneIn, PhoneField } from "../../ui/forms/phone-field.tsx";
import { Countdown } from "../../ui/graphics/countdown.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { HowTo } from "./by-qr.tsx";
import { PAIR } from "../../texts/catalogs.ts";
import { serverNow } from "../../api/server-time.ts";

type Code = ResponseBody<"POST /connections/{id}/pairing-code">["data"];

export type IssuedCode = Code & { totalSeconds: number };

type PairByCodeProps = {
  id: string;
  isOpen: boolean;
  /** The code is stored in the page's state, so that it survives switching tabs. */
  code: IssuedCode | null;
  onCode: (code: IssuedCode) => void;
};

export function PairByCode({ id, isOpen, code, onCode }: PairByCodeProps) {
  const texts = useTexts(PAIR);
  const [number, setNumber] = useState(code?.phone_number ?? null);
  const form = useForm(async (fields, idempotencyKey) => {
    const phone_number = phoneIn(fields, "phone_number") ?? "";
    if (!isOpen)
      await api("POST /connections/{id}/connect", { id, force_new_pairing: false }, { idempotencyKey: `${idempotencyKey}-connect` });
    const { data } = await api("POST /connections/{id}/pairing-code", { id, phone_number }, { idempotencyKey });
    setNumber(data.phone_number);
    onCode({ ...data, totalSeconds: Math.max(1, Math.round((Date.parse(data.expires_at) - serverNow()) / 1_000)) });
  });
  // A code is valid only for the number for which it was created.
  const shown = code?.phone_number === number ? code : null;
  return (
    <div className="grid gap-6 sm:grid-cols-2">
      <div className="grid content-start gap-4">
        <Form form={form} className="grid max-w-md gap-4">
          <PhoneField label={texts.phone} name="phone_number" initial={code?.phone_number} onNumber={setNumber} />
          <FormError refused={form.refused} />
          <Button type="submit" kind={shown === null ? "primary" : "plain"} busy={form.busy} className="justify-self-start">
            {shown === null ? texts.makeCode : texts.makeAnother}
          </Button>
        </Form>
        {shown !== null && <ShownCode key={shown.code} code={shown} totalSeconds={shown.totalSeconds} />}
      </div>
      <HowTo title={texts.howToType} lines={texts.howCode} />
    </div>
  );
}

function ShownCode({ code: { code, expires_at, phone_number }, totalSeconds }: { code: Code; totalSeconds: number }) {
  const texts = useTexts(PAIR);
  const left = useSecondsLeft(Date.parse(expires_at));
  if (left === 0) return <p role="status">{texts.codeOver}</p>;
  return (
    <section aria-label={texts.yourCode} className="flex flex-wrap items-center gap-x-4 gap-y-1">
      <p className="private w-full font-semibold">{texts.codeFor(groupedPhone(phone_number))}</p>
      <p role="status" className="font-mono text-2xl tracking-widest select-all">
        {code}
      </p>
      <Countdown until={expires_at} totalSeconds={totalSeconds} />
      <CopyButton value={code} label={texts.copyCode} />
    </section>
  );
}
