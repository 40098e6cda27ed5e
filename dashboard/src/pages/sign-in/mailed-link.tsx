// Requests a link by email. The response is the same for known and unknown addresses.
import { type ReactNode, useState } from "react";
import { Button } from "../../ui/button.tsx";
import { useSecondsLeft } from "../../ui/clock.ts";
import { useAction } from "../../ui/forms/action.ts";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { SIGN_IN } from "../../texts/catalogs.ts";
import { serverNow } from "../../api/server-time.ts";
import { Link } from "@tanstack/react-router";
import { mailPasswordLink, signUp } from "../../api/auth.ts";
import { EntryPage } from "./entry-page.tsx";
import { LIMITS } from "@gateway/domain/limits.ts";

const AGAIN_MS = 60_000;

type MailedLinkProps = {
  about: string;
  sentTo: (email: string) => string;
  send: (email: string, fields: FormData) => Promise<void>;
  children?: ReactNode;
};
type Sent = { email: string; again: () => Promise<void> };

export function MailedLink({ about, sentTo, send, children }: MailedLinkProps) {
  const texts = useTexts(SIGN_IN);
  const [sent, setSent] = useState<Sent | null>(null);
  const form = useForm(async (fields) => {
    const email = textOf(fields, "email");
    await send(email, fields);
    setSent({ email, again: () => send(email, fields) });
  });
  if (sent !== null) return <CheckMail sent={sent} text={sentTo(sent.email)} onOther={() => setSent(null)} />;
  return (
    <Form form={form} keepsTyped={false} className="grid gap-4" method="post">
      <p>{about}</p>
      {children}
      <TextField
        label={texts.email}
        name="email"
        type="email"
        autoComplete="email"
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={254}
      />
      <FormError refused={form.refused} />
      <Button type="submit" kind="primary" busy={form.busy}>
        {texts.send}
      </Button>
    </Form>
  );
}

function CheckMail({ sent: { again }, text, onOther }: { sent: Sent; text: string; onOther: () => void }) {
  const texts = useTexts(SIGN_IN);
  const { busy, refused, run } = useAction();
  const [until, setUntil] = useState(() => serverNow() + AGAIN_MS);
  const left = useSecondsLeft(until);
  const repeat = async () => {
    if (await run(again)) setUntil(serverNow() + AGAIN_MS);
  };
  return (
    <div className="grid gap-3">
      <div role="status" className="grid gap-1">
        <h2>{texts.sent}</h2>
        <p className="break-words">{text}</p>
        <p className="text-soft">{texts.sentHelp}</p>
      </div>
      <FormError refused={refused} />
      <div className="flex flex-wrap gap-2">
        <Button busy={busy} disabled={left > 0} onClick={() => void repeat()}>
          {left > 0 ? texts.againIn(left) : texts.again}
        </Button>
        <Button kind="quiet" onClick={onOther}>
          {texts.otherAddress}
        </Button>
      </div>
    </div>
  );
}

export function Forgot() {
  const texts = useTexts(SIGN_IN);
  return (
    <EntryPage title={texts.forgot}>
      <MailedLink about={texts.forgotText} sentTo={texts.sentTo} send={mailPasswordLink} />
      <p className="border-t border-line pt-3">
        <Link to="/sign-in" className="underline underline-offset-2">
          {texts.toSignIn}
        </Link>
      </p>
    </EntryPage>
  );
}

/** The password is chosen through the emailed link, which proves ownership of the address. */
export function SignUp() {
  const texts = useTexts(SIGN_IN);
  return (
    <EntryPage title={texts.signUp}>
      <MailedLink
        about={texts.signUpText}
        sentTo={texts.signUpSentTo}
        send={(email, fields) => signUp(email, textOf(fields, "name").trim())}
      >
        <TextField label={texts.name} name="name" autoComplete="name" required characters={LIMITS.keyNameCharacters} />
      </MailedLink>
      <p className="border-t border-line pt-3">
        {texts.haveAccount}{" "}
        <Link to="/sign-in" className="underline underline-offset-2">
          {texts.signIn}
        </Link>
      </p>
    </EntryPage>
  );
}
