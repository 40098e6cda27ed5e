import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reading } from "../../api/client.ts";
import { Choices } from "../../shell/choices.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { AccountKeys } from "./account-keys.tsx";
import { Plan } from "./plan.tsx";
import { Profile } from "./profile.tsx";
import { Sessions } from "./sessions.tsx";
import { useState } from "react";
import { changePassword } from "../../api/auth.ts";
import { refresh } from "../../api/cache.ts";
import { Button } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { toast } from "../../ui/toast.tsx";

export function Account() {
  const texts = useTexts(ACCOUNT);
  const me = useQuery(reading("GET /me", {}));
  const session = useQuery(reading("GET /session", {}));
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <div className="grid items-start gap-4 lg:grid-cols-2">
        <Panel title={texts.profile.title}>
          <Query result={me}>{({ data }) => <Profile me={data} />}</Query>
        </Panel>
        <Panel title={texts.plan.title}>
          <Query result={me}>{({ data }) => <Plan me={data} />}</Query>
        </Panel>
        {session.data?.data.identity.kind === "embedded" && (
          <Panel title={texts.password.title} about={texts.password.about}>
            <Password email={session.data.data.user?.email ?? ""} />
          </Panel>
        )}
        <Panel title={texts.preferences.title} about={texts.preferences.about}>
          <Choices />
        </Panel>
      </div>
      <Sessions />
      <AccountKeys />
    </>
  );
}

const LENGTHS = { least: 10, most: 128 };

export function Password({ email }: { email: string }) {
  const texts = useTexts(ACCOUNT).password;
  const client = useQueryClient();
  const [wrong, setWrong] = useState(false);
  const [changed, setChanged] = useState(0);
  const form = useForm(async (fields) => {
    const right = await changePassword(textOf(fields, "currentPassword"), textOf(fields, "newPassword"));
    setWrong(!right);
    if (!right) return;
    setChanged((before) => before + 1);
    await refresh(client, ["GET /sessions"]);
    toast(texts.saved);
  });
  return (
    <Form key={changed} form={form} className="grid gap-4" method="post">
      {/* Tells password managers which account the password belongs to. */}
      <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
      <TextField
        label={texts.current}
        name="currentPassword"
        type="password"
        autoComplete="current-password"
        required
        maxLength={LENGTHS.most}
        error={wrong ? texts.wrong : undefined}
      />
      <TextField
        label={texts.next}
        name="newPassword"
        type="password"
        autoComplete="new-password"
        required
        minLength={LENGTHS.least}
        maxLength={LENGTHS.most}
        hint={texts.hint}
      />
      <FormError refused={form.refused} />
      <Button type="submit" busy={form.busy} className="justify-self-start">
        {texts.save}
      </Button>
    </Form>
  );
}
