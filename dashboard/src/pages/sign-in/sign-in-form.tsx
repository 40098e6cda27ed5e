// Errors never reveal whether an email address is known.
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { mailPasswordLink, signIn } from "../../api/auth.ts";
import { Button } from "../../ui/button.tsx";
import { useAction } from "../../ui/forms/action.ts";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { SIGN_IN } from "../../texts/catalogs.ts";

type Problem = { kind: "wrong" | "unverified"; email: string };

type SignInFormProps = {
  email?: string | undefined;
  /** Shown in a dialog, where links open in a new tab. */
  isOverPage?: boolean;
  onSignedIn: () => Promise<void>;
};

export function SignInForm({ email, isOverPage = false, onSignedIn }: SignInFormProps) {
  const texts = useTexts(SIGN_IN);
  const [problem, setProblem] = useState<Problem | null>(null);
  const form = useForm(async (fields) => {
    setProblem(null);
    const given = textOf(fields, "email");
    const outcome = await signIn(given, textOf(fields, "password"));
    if (outcome === "done") await onSignedIn();
    else setProblem({ kind: outcome, email: given });
  });
  return (
    <Form form={form} keepsTyped={false} className="grid gap-4" method="post">
      <div role="alert" className="empty:absolute">
        {problem !== null && (
          <div className="grid gap-1 rounded-md border border-bad bg-surface px-3 py-2">
            <p className="font-semibold text-bad">{problem.kind === "wrong" ? texts.wrong : texts.unverified}</p>
            {problem.kind === "wrong" ? (
              <Link to="/forgot" {...(isOverPage ? { target: "_blank" } : {})} className="justify-self-start text-accent underline">
                {texts.wrongHelp}
              </Link>
            ) : (
              <Resend email={problem.email} />
            )}
          </div>
        )}
      </div>
      <TextField
        label={texts.email}
        name="email"
        type="email"
        autoComplete="username"
        autoCapitalize="none"
        spellCheck={false}
        required
        maxLength={254}
        defaultValue={email}
        {...(email === undefined ? {} : { readOnly: true })}
      />
      <TextField
        label={texts.password}
        name="password"
        type="password"
        autoComplete="current-password"
        required
        maxLength={128}
        {...(email === undefined ? {} : { "data-autofocus": true })}
      />
      <FormError refused={form.refused} />
      <Button type="submit" kind="primary" busy={form.busy}>
        {texts.signIn}
      </Button>
    </Form>
  );
}

function Resend({ email }: { email: string }) {
  const texts = useTexts(SIGN_IN);
  const { busy, refused, run } = useAction();
  const [sent, setSent] = useState(false);
  if (sent) return <p role="status">{texts.sentTo(email)}</p>;
  return (
    <>
      <Button busy={busy} className="justify-self-start" onClick={() => void run(() => mailPasswordLink(email)).then(setSent)}>
        {texts.resend}
      </Button>
      <FormError refused={refused} />
    </>
  );
}
