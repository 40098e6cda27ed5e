import { QrCode, RotateCw } from "lucide-react";
import { useState } from "react";
import { type ResponseBody, api } from "../../api/client.ts";
import type { Refused } from "../../api/refused.ts";
import { timeFormat } from "../../domain/formats.ts";
import { groupedPhone } from "../../domain/phone.ts";
import { useAutomaticQr } from "../../ui/automatic-qr.ts";
import { Button } from "../../ui/button.tsx";
import { useSecondsLeft } from "../../ui/clock.ts";
import { CopyButton } from "../../ui/code/copy.tsx";
import { useAction } from "../../ui/forms/action.ts";
import { Form, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { phoneIn, PhoneField } from "../../ui/forms/phone-field.tsx";
import { QrPicture } from "../../ui/graphics/qr.tsx";
import { Countdown } from "../../ui/graphics/countdown.tsx";
import { Tabs } from "../../ui/tabs.tsx";
import { PAIRING_LINK, REASONS } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { type Link, type Now, type Qr } from "./use-pairing.ts";

const FIRST_QR_SECONDS = 60;
const QR_SECONDS = 20;

type Code = ResponseBody<"POST /pairing/code">["data"];

export function Working({ link, now, isLost }: { link: Link; now: Now; isLost: boolean }) {
  const texts = useTexts(PAIRING_LINK);
  // On a phone, pairing by code is selected first, because a phone cannot scan its own screen.
  const [code, setCode] = useState<Code | null>(null);
  const [way, setWay] = useState(() => (matchMedia("(pointer: coarse) and (max-width: 50rem)").matches ? "code" : "qr"));
  const connect = useAction();
  const begin = () => void connect.run(() => api("POST /pairing/connect", {}));
  // After a failure, pairing starts only on a click, because the visitor first has to read the reason.
  const isIdle = now.status === "disconnected";
  const atOnce = useAutomaticQr(true, isIdle && way === "qr", begin);
  const [wasIdle, setWasIdle] = useState(isIdle);
  if (wasIdle !== isIdle) {
    setWasIdle(isIdle);
    atOnce.end();
  }
  const isBeginning = atOnce.isBeginning && isIdle && connect.refused === null;
  const isPasskey = now.reason === "passkey_wanted";
  const isPairing = now.status === "connecting" && now.reason === "pairing";
  return (
    <>
      <div className="grid gap-1">
        <p>
          {texts.labelled} <strong className="break-words">{link.label}</strong>
        </p>
        <p className="text-soft">{texts.about}</p>
        <p className="text-sm text-soft">{texts.until(useClock()(link.expires_at))}</p>
      </div>
      <section className="rounded-lg bg-surface p-4 sm:p-6">
        <p role="status" className="text-attention">
          {isLost ? texts.lost : ""}
        </p>
        <p role="status" className={isPairing ? "font-semibold" : "sr-only"}>
          {isPairing ? texts.pairing : ""}
        </p>
        {isPasskey ? (
          <div role="status" className="grid gap-1">
            <p className="font-semibold">{texts.passkey.wanted}</p>
            <p>{texts.passkey.next}</p>
          </div>
        ) : isPairing ? (
          <p className="text-soft">{texts.keepOpen}</p>
        ) : (
          <Tabs
            label={texts.ways}
            chosen={way}
            onChoose={(chosen) => {
              if (chosen === "qr" && isIdle) atOnce.begin();
              setWay(chosen);
            }}
            tabs={[
              { id: "qr", label: texts.qr, content: <ByQr now={now} isBeginning={isBeginning} connect={connect} onBegin={begin} /> },
              { id: "code", label: texts.code, content: <ByCode now={now} code={code} onCode={setCode} /> },
            ]}
          />
        )}
      </section>
    </>
  );
}

function useClock(): (time: string) => string {
  const language = useLanguage();
  return (time) => {
    const at = new Date(time);
    const isToday = at.toDateString() === new Date().toDateString();
    return timeFormat(locale(language), isToday ? {} : { day: "2-digit", month: "2-digit" }).format(at);
  };
}

function Steps({ steps }: { steps: readonly string[] }) {
  return (
    <ol className="grid list-decimal gap-1 pl-5">
      {steps.map((step) => (
        <li key={step}>{step}</li>
      ))}
    </ol>
  );
}

function WhyNot({ now }: { now: Now }) {
  const texts = useTexts(PAIRING_LINK);
  const reasons = useTexts(REASONS);
  if (now.reason === "qr_timeout") return <p>{texts.timeout}</p>;
  if (now.reason === "passkey_timeout") return <p>{texts.passkey.timeout}</p>;
  if (now.status !== "failed") return null;
  const known = Object.hasOwn(reasons, now.reason) ? reasons[now.reason as keyof typeof reasons] : null;
  return (
    <div className="grid gap-1">
      <p className="font-semibold">
        <span aria-hidden className="text-bad">
          ▲{" "}
        </span>
        {texts.failed}
      </p>
      <p>{known?.happened}</p>
      <p className="text-soft">{texts.askSender}</p>
    </div>
  );
}

type ByQrProps = { now: Now; isBeginning: boolean; connect: { busy: boolean; refused: Refused | null }; onBegin: () => void };

function ByQr({ now, isBeginning, connect: { busy, refused }, onBegin }: ByQrProps) {
  const texts = useTexts(PAIRING_LINK);
  const isStill = (now.status === "disconnected" || now.status === "failed") && !isBeginning;
  const isAgain = now.reason === "qr_timeout" || now.reason === "passkey_timeout";
  return (
    <div className="grid gap-4">
      <Steps steps={texts.qrSteps} />
      {isStill ? (
        <>
          <WhyNot now={now} />
          <Button kind="primary" icon={isAgain ? RotateCw : QrCode} busy={busy} className="justify-self-start" onClick={onBegin}>
            {isAgain ? texts.newQr : texts.showQr}
          </Button>
          <Wrong refused={refused} />
        </>
      ) : now.qr === null ? (
        <Coming text={texts.preparing} />
      ) : (
        <Shown key={now.qr.expires_at} qr={now.qr} />
      )}
      <p className="text-sm text-soft">{texts.samePhone}</p>
    </div>
  );
}

function Coming({ text }: { text: string }) {
  return (
    <div className="grid aspect-square w-full max-w-80 place-items-center rounded-md border border-line bg-tint p-4 text-center text-soft">
      <p role="status">{text}</p>
    </div>
  );
}

function Shown({ qr }: { qr: Qr }) {
  const texts = useTexts(PAIRING_LINK);
  const left = useSecondsLeft(new Date(qr.expires_at).getTime());
  const [total] = useState(left > QR_SECONDS ? FIRST_QR_SECONDS : QR_SECONDS);
  if (left === 0) return <Coming text={texts.qrSoon} />;
  return (
    <div className="flex flex-wrap items-center gap-4">
      <QrPicture src={qr.qr} />
      <Countdown until={qr.expires_at} totalSeconds={total} />
    </div>
  );
}

/** `code` is stored outside the tabs, so that it survives switching tabs. */
function ByCode({ now, code, onCode }: { now: Now; code: Code | null; onCode: (code: Code) => void }) {
  const texts = useTexts(PAIRING_LINK);
  const clock = useClock();
  const [number, setNumber] = useState(code?.phone_number ?? null);
  const form = useForm(async (fields, idempotencyKey) => {
    const phone_number = phoneIn(fields, "phone_number") ?? "";
    if (now.status === "disconnected" || now.status === "failed") await api("POST /pairing/connect", {}, { idempotencyKey });
    const { data } = await api("POST /pairing/code", { phone_number }, { idempotencyKey: `${idempotencyKey}-code` });
    setNumber(data.phone_number);
    onCode(data);
  });
  const isValid = useSecondsLeft(code === null ? 0 : new Date(code.expires_at).getTime()) > 0;
  const isOver = now.status === "disconnected" || now.status === "failed";
  // A code is valid only for the number for which it was created.
  const isShown = code !== null && code.phone_number === number && isValid && !isOver;
  return (
    <div className="grid gap-4">
      {isOver && code === null && <WhyNot now={now} />}
      {isShown && (
        <div role="status" className="grid gap-2 rounded-md border border-line bg-tint p-4">
          <p className="text-sm text-soft">{texts.codeFor(groupedPhone(code.phone_number))}</p>
          <p className="text-2xl font-semibold tracking-widest select-all">{code.code}</p>
          <p className="text-sm text-soft">{texts.codeValid(clock(code.expires_at))}</p>
          <div>
            <CopyButton value={code.code.replaceAll("-", "")} label={texts.copyCode} />
          </div>
        </div>
      )}
      {isShown && <Steps steps={texts.codeSteps} />}
      {code !== null && !isValid && !isOver && <p role="status">{texts.codeOver}</p>}
      <Form form={form} className="grid gap-3">
        <PhoneField label={texts.phone} name="phone_number" initial={code?.phone_number} onNumber={setNumber} />
        <Button type="submit" kind={isShown ? "plain" : "primary"} busy={form.busy} className="justify-self-start">
          {isShown ? texts.anotherCode : texts.getCode}
        </Button>
        <Wrong refused={form.refused} />
      </Form>
      {!isShown && <Steps steps={texts.codeSteps} />}
    </div>
  );
}

/** Problems that only the sender of the link can resolve, not its reader. */
function Wrong({ refused }: { refused: Refused | null }) {
  const texts = useTexts(PAIRING_LINK);
  if (refused?.code !== "subscription_required" && refused?.code !== "account_suspended") return <FormError refused={refused} />;
  return (
    <p role="alert" className="font-semibold text-bad">
      {texts.subscription}
    </p>
  );
}
