import { useQuery, useQueryClient } from "@tanstack/react-query";
import { reading, type ResponseBody } from "../../api/client.ts";
import { Choices } from "../../shell/choices.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Panel } from "../../ui/panel.tsx";
import { Query } from "../../ui/states.tsx";
import { ACCOUNT } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { AccountKeys } from "./account-keys.tsx";
import { Profile, type Me } from "./profile.tsx";
import { useState } from "react";
import { ExternalLink } from "lucide-react";
import { changePassword } from "../../api/auth.ts";
import { refresh, useChange } from "../../api/cache.ts";
import { Button, buttonClass } from "../../ui/button.tsx";
import { Form, TextField, textOf, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { LeaveGuard } from "../../ui/forms/leave-guard.tsx";
import { toast } from "../../ui/toast.tsx";
import { planState } from "../../domain/plan.ts";
import { Badge, type Tone } from "../../ui/badge.tsx";
import { Level } from "../../ui/graphics/level.tsx";
import { useNow } from "../../ui/clock.ts";
import { Support } from "../../ui/support.tsx";
import { locale, useLanguage } from "../../texts/language.ts";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";

export function Account() {
  const texts = useTexts(ACCOUNT);
  const me = useQuery(reading("GET /me", {}));
  const session = useQuery(reading("GET /session", {}));
  return (
    <>
      <PageTitle>{texts.title}</PageTitle>
      <LeaveGuard />
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
    <Form key={changed} form={form} keepsTyped={false} className="grid gap-4" method="post">
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

const TONES: Readonly<Record<string, Tone>> = { active: "good", trialing: "info", past_due: "attention", canceled: "bad" };

function Plan({ me: { subscription, usage, billing_url: billing } }: { me: Me }) {
  const texts = useTexts(ACCOUNT).plan;
  const state = planState(subscription, useNow());
  const isStopped = state.kind === "past_due" || state.kind === "stopped";
  return (
    <div className="grid gap-4">
      <p className="flex flex-wrap items-center gap-2">
        <span className="text-lg font-semibold break-words">{subscription === null ? texts.none : subscription.plan}</span>
        {subscription !== null && <Badge tone={TONES[subscription.status] ?? "neutral"}>{texts.statuses[subscription.status]}</Badge>}
      </p>
      {subscription === null ? <p>{texts.noneText}</p> : <Usage used={usage.instances} allowed={subscription.max_instances} />}
      {subscription !== null && subscription.current_period_end !== null && <PeriodEnd at={subscription.current_period_end} />}
      {state.kind === "running" && <p className="text-soft">{texts.noEnd}</p>}
      {state.kind === "ending" && (
        <div className={state.soon ? "rounded-md border border-attention px-3 py-2" : ""}>
          <p className={state.soon ? "font-semibold text-attention" : "font-semibold"}>
            {state.soon && <span aria-hidden>▲ </span>}
            {texts.days(state.days)}
          </p>
          <p className="text-soft">{texts.atEnd}</p>
        </div>
      )}
      {isStopped && (
        <p className="rounded-md border border-bad px-3 py-2">
          <span aria-hidden className="text-bad">
            ▲{" "}
          </span>
          {state.kind === "past_due" ? texts.pastDue : texts.ended}
        </p>
      )}
      {billing === null ? (
        <div className="text-sm text-soft">
          <p>{texts.billingNone}</p>
          <Support />
        </div>
      ) : (
        <a href={billing} rel="noreferrer" className={buttonClass(isStopped ? "primary" : "plain", "justify-self-start")}>
          <ExternalLink size={16} aria-hidden className="shrink-0" />
          {texts.billing}
        </a>
      )}
    </div>
  );
}

function Usage({ used, allowed }: { used: number; allowed: number }) {
  const texts = useTexts(ACCOUNT).plan;
  const isFull = used >= allowed;
  const number = new Intl.NumberFormat(locale(useLanguage()));
  return (
    <div className="grid gap-1">
      <p className="flex justify-between gap-4">
        <span>{texts.used}</span>
        <span className="font-semibold">{texts.usedOf(number.format(used), number.format(allowed))}</span>
      </p>
      <Level used={used} total={allowed} />
      {isFull && <p className="text-sm text-attention">{used > allowed ? texts.over(used - allowed) : texts.full}</p>}
    </div>
  );
}

function PeriodEnd({ at }: { at: string }) {
  const texts = useTexts(ACCOUNT).plan;
  const language = useLanguage();
  const shown = new Intl.DateTimeFormat(locale(language), { dateStyle: "long" }).format(new Date(at));
  return (
    <p className="flex justify-between gap-4">
      <span>{texts.periodEnds}</span>
      <time dateTime={at} className="font-semibold">
        {shown}
      </time>
    </p>
  );
}

type Session = ResponseBody<"GET /sessions">["data"][number];

function Sessions() {
  const texts = useTexts(ACCOUNT).sessions;
  const sessions = useQuery(reading("GET /sessions", {}));
  const endOthers = useChange("DELETE /sessions", ["GET /sessions"]);
  const [asked, setAsked] = useState(false);
  const others = sessions.data?.data.filter(({ current }) => !current).length;
  return (
    <Panel
      title={texts.title}
      about={texts.about}
      flush
      actions={
        <Button why={others === 0 ? texts.noOthers : undefined} disabled={others === undefined} onClick={() => setAsked(true)}>
          {texts.endOthers}
        </Button>
      }
    >
      <Query result={sessions}>{({ data }) => <SessionRows sessions={data} />}</Query>
      <ConfirmDialog
        open={asked}
        onClose={() => setAsked(false)}
        title={texts.endOthersTitle}
        lost={<p>{texts.endOthersText}</p>}
        action={texts.endOthers}
        onConfirm={async () => {
          const { data } = await endOthers.mutateAsync({});
          toast(texts.endedOthers(data.count));
        }}
      />
    </Panel>
  );
}

function SessionRows({ sessions }: { sessions: readonly Session[] }) {
  const texts = useTexts(ACCOUNT).sessions;
  const end = useChange("DELETE /sessions/{session_id}", ["GET /sessions"]);
  const nameOf = ({ browser, system }: Session) =>
    browser !== null && system !== null ? texts.on(browser, system) : (browser ?? system ?? texts.unknown);
  const columns: readonly Column<Session>[] = [
    {
      id: "device",
      header: texts.device,
      cell: (session) => (
        <span className="flex flex-wrap items-center gap-2">
          {nameOf(session)}
          {session.current && <Badge tone="good">{texts.current}</Badge>}
        </span>
      ),
    },
    { id: "since", header: texts.since, cell: ({ created_at: at }) => <When time={at} /> },
    { id: "used", header: texts.used, cell: ({ last_used_at: at }) => <When time={at} /> },
    { id: "expires", header: texts.expires, wideOnly: true, cell: ({ expires_at: at }) => <When time={at} /> },
    {
      id: "end",
      header: texts.actions,
      headerHidden: true,
      cell: (session) =>
        session.current ? null : (
          <Button
            aria-label={texts.endOf(nameOf(session))}
            busy={end.isPending && end.variables.session_id === session.id}
            onClick={() => end.mutate({ session_id: session.id }, { onSuccess: () => toast(texts.ended) })}
          >
            {texts.end}
          </Button>
        ),
    },
  ];
  return (
    <>
      <Rows caption={texts.title} columns={columns} rows={sessions} keyOf={({ id }) => id} />
      <div className="px-4">
        <FormError refused={end.error} />
      </div>
    </>
  );
}
