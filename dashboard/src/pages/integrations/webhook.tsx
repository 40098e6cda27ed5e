import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { KeyRound, ListChecks, Power, Trash2, Send } from "lucide-react";
import { type ReactNode, useState } from "react";
import { refresh } from "../../api/cache.ts";
import { api, reading, type ResponseBody } from "../../api/client.ts";
import { span } from "../../texts/span.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { useAction } from "../../ui/forms/action.ts";
import { ConfirmDialog } from "../../ui/forms/form-dialog.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Panel } from "../../ui/panel.tsx";
import { SecretOnce } from "../../ui/code/secret-once.tsx";
import { Query } from "../../ui/states.tsx";
import { toast } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { INTEGRATIONS } from "../../texts/catalogs.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { useTexts } from "../../texts/catalog.ts";
import { type Webhook, WebhookForm } from "./webhook-form.tsx";
import { Code } from "../../ui/code/code.tsx";

const WEBHOOK = "GET /connections/{id}/webhook";

type Shown = { title: string; value: string; how: string };

export function WebhookPanel({ id, owner }: { id: string; owner: boolean }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const client = useQueryClient();
  const [secret, setSecret] = useState<Shown | null>(null);
  // Refetches on focus, so that changes by another tab or a program are shown.
  const webhook = useQuery({ ...reading(WEBHOOK, { id }), refetchOnWindowFocus: "always" });
  const ownerOnly = owner ? undefined : texts.guest;
  const show = (title: string, value: string | null | undefined, how: string) => {
    if (value == null) toast(texts.lostSecret, { kind: "bad" });
    else setSecret({ title, value, how });
  };
  const save = async (url: string, events: readonly string[], idempotencyKey: string) => {
    const { data } = await api("PUT /connections/{id}/webhook", { id, url, events: [...events] }, { idempotencyKey });
    if (data.secret === undefined) {
      await refresh(client, [WEBHOOK]);
      toast(texts.saved);
    } else {
      // The secret comes only once, so it does not wait for a read.
      show(texts.made, data.secret, texts.secretHow);
      void refresh(client, [WEBHOOK]);
    }
  };
  return (
    <Panel
      id="webhook"
      title={texts.title}
      about={texts.about}
      actions={
        <ButtonLink to="/connections/$id/deliveries" params={{ id }} kind="quiet" icon={ListChecks}>
          {texts.deliveries}
        </ButtonLink>
      }
    >
      <Query result={webhook} lines={6}>
        {({ data }) => (
          <>
            {data === null ? (
              <None id={id} />
            ) : (
              <Existing id={id} webhook={data} ownerOnly={ownerOnly} onRotated={(value) => show(texts.rotated, value, texts.rotatedHow)} />
            )}
            <WebhookForm webhook={data} ownerOnly={ownerOnly} save={save} />
          </>
        )}
      </Query>
      {secret !== null && (
        <SecretOnce title={secret.title} value={secret.value} how={<p>{secret.how}</p>} onStored={() => setSecret(null)} />
      )}
    </Panel>
  );
}

function None({ id }: { id: string }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  return (
    <p>
      {texts.none}{" "}
      <span className="text-soft">
        {texts.noServer}{" "}
        <Link to="/connections/$id/events" params={{ id }} className="text-accent underline underline-offset-2">
          {texts.events}
        </Link>
      </span>
    </p>
  );
}

type ExistingProps = {
  id: string;
  webhook: Webhook;
  /** Why the user cannot change the webhook. Undefined for the owner. */
  ownerOnly: string | undefined;
  onRotated: (secret: string | null) => void;
};

function Existing({ id, webhook, ownerOnly, onRotated }: ExistingProps) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const client = useQueryClient();
  const [asking, setAsking] = useState<"rotate" | "delete" | null>(null);
  const close = () => setAsking(null);
  return (
    <>
      <State id={id} webhook={webhook} ownerOnly={ownerOnly} />
      <WebhookTest id={id} url={webhook.url} ownerOnly={ownerOnly}>
        <Button icon={KeyRound} why={ownerOnly} onClick={() => setAsking("rotate")}>
          {texts.rotate}
        </Button>
        <Button icon={Trash2} kind="quiet" why={ownerOnly} onClick={() => setAsking("delete")} className="!text-bad">
          {texts.delete}
        </Button>
      </WebhookTest>
      <ConfirmDialog
        open={asking === "rotate"}
        onClose={close}
        title={texts.rotateTitle}
        lost={<p>{texts.rotateText}</p>}
        action={texts.rotateAction}
        onConfirm={async () => {
          const { data } = await api("POST /connections/{id}/webhook/rotate", { id });
          onRotated(data.secret);
          void refresh(client, [WEBHOOK]);
        }}
      />
      <ConfirmDialog
        open={asking === "delete"}
        onClose={close}
        title={texts.deleteTitle}
        lost={
          <>
            <p className="font-semibold break-all">{webhook.url}</p>
            <p>{texts.deleteLost}</p>
            {webhook.last_success_at !== null && (
              <p>
                {texts.lastSuccess}: <When time={webhook.last_success_at} />
              </p>
            )}
          </>
        }
        action={texts.deleteAction}
        onConfirm={async () => {
          await api("DELETE /connections/{id}/webhook", { id });
          await refresh(client, [WEBHOOK]);
          toast(texts.deleted);
        }}
      />
    </>
  );
}

function State({ id, webhook, ownerOnly }: { id: string; webhook: Webhook; ownerOnly: string | undefined }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const language = useLanguage();
  const now = useNow();
  const left = (until: string) => span(Date.parse(until) - now, locale(language));
  const { status, failing_since: failingSince, disables_at: disablesAt, previous_secret_until: overlapUntil } = webhook;
  const failing = status === "active" && failingSince !== null;
  return (
    <div className="grid gap-3">
      <dl className="flex flex-wrap gap-x-6 gap-y-1">
        <Fact label={texts.status}>
          <Badge tone={status === "disabled" ? "bad" : failing ? "attention" : "good"}>
            <span aria-hidden>{status === "disabled" ? "▲" : failing ? "◐" : "●"}</span>
            {status === "disabled" ? texts.disabled : failing ? texts.failing : texts.active}
          </Badge>
        </Fact>
        <Fact label={texts.lastSuccess}>
          <When time={webhook.last_success_at} />
        </Fact>
        <Fact label={texts.createdAt}>
          <When time={webhook.created_at} />
        </Fact>
      </dl>
      {failing && (
        <Notice tone="attention">
          <p className="font-semibold">
            {texts.failingText} <When time={failingSince} />. {disablesAt !== null && texts.disablesAt(left(disablesAt))}
          </p>
        </Notice>
      )}
      {status === "disabled" && <Disabled id={id} webhook={webhook} ownerOnly={ownerOnly} />}
      {overlapUntil !== null && Date.parse(overlapUntil) > now && (
        <Notice tone="info">
          <p>{texts.overlap(left(overlapUntil))}</p>
        </Notice>
      )}
    </div>
  );
}

function Fact({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-baseline gap-2">
      <dt className="text-sm text-soft">{label}</dt>
      <dd>{children}</dd>
    </div>
  );
}

function Notice({ tone, children }: { tone: "attention" | "bad" | "info"; children: ReactNode }) {
  const edge = { attention: "border-attention", bad: "border-bad", info: "border-info" }[tone];
  return <div className={`grid gap-2 rounded-md border-l-4 bg-tint px-3 py-2 ${edge}`}>{children}</div>;
}

function Disabled({ id, webhook, ownerOnly }: { id: string; webhook: Webhook; ownerOnly: string | undefined }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const client = useQueryClient();
  const navigate = useNavigate();
  const { busy, refused, run } = useAction();
  const reactivate = async () => {
    await api("POST /connections/{id}/webhook/reactivate", { id });
    await refresh(client, [WEBHOOK]);
    toast(texts.reactivated, {
      action: { label: texts.resend, onSelect: () => void navigate({ to: "/connections/$id/deliveries", params: { id } }) },
    });
  };
  return (
    <Notice tone="bad">
      <p className="font-semibold">
        {texts.disabledWhy} <When time={webhook.disabled_at} />. {texts.disabledNext}
      </p>
      <ol className="list-decimal pl-5">
        {texts.disabledSteps.map((step) => (
          <li key={step}>{step}</li>
        ))}
      </ol>
      <div>
        <Button
          icon={Power}
          kind="primary"
          busy={busy}
          why={ownerOnly ?? (webhook.can_reactivate ? undefined : texts.reactivateWhy)}
          onClick={() => void run(reactivate)}
        >
          {texts.reactivate}
        </Button>
      </div>
      <FormError refused={refused} />
    </Notice>
  );
}

type Result = ResponseBody<"POST /connections/{id}/webhook/test">["data"];
type Message = NonNullable<Result["request"]>;

type WebhookTestProps = { id: string; url: string; ownerOnly: string | undefined; children: ReactNode };

function WebhookTest({ id, url, ownerOnly, children }: WebhookTestProps) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const client = useQueryClient();
  const { busy, refused, run } = useAction();
  const [shown, setShown] = useState<{ url: string; result: Result } | null>(null);
  const test = async () => {
    setShown(null);
    const { data } = await api("POST /connections/{id}/webhook/test", { id });
    setShown({ url, result: data });
    await refresh(client, ["GET /connections/{id}/webhook"]);
  };
  return (
    <>
      <div className="flex flex-wrap gap-2">
        <Button icon={Send} why={ownerOnly} busy={busy} onClick={() => void run(test)}>
          {busy ? texts.testing : texts.test}
        </Button>
        {children}
      </div>
      {refused !== null && <FormError refused={refused} />}
      <div role="status" className="grid min-w-0 empty:-mt-4">
        {shown !== null && <Outcome {...shown} />}
      </div>
    </>
  );
}

function Outcome({ url, result }: { url: string; result: Result }) {
  const texts = useTexts(INTEGRATIONS).webhook;
  const { http_status: status, latency_ms: ms, error, request, response } = result;
  return (
    <section aria-label={texts.testTitle} className="grid min-w-0 gap-3 rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Badge tone={error === null ? "good" : "bad"}>
          <span aria-hidden>{error === null ? "✓" : "✗"}</span>
          {error === null ? texts.testPassed : texts.testFailed}
        </Badge>
        {status !== null && <span className="font-semibold">HTTP {status}</span>}
        <span className="text-soft">{texts.milliseconds(ms)}</span>
      </p>
      {error !== null && <p>{texts.errors[error]?.(ms) ?? error}</p>}
      {request !== null && <Exchange title={texts.sent} text={`POST ${url}\n${textOf(request)}`} />}
      {response !== null && <Exchange title={texts.answered} text={`HTTP ${status ?? ""}\n${textOf(response)}`} />}
    </section>
  );
}

function Exchange({ title, text }: { title: string; text: string }) {
  return (
    <details className="min-w-0">
      <summary className="min-h-11 cursor-pointer content-center rounded-md font-semibold pointer-fine:min-h-6">{title}</summary>
      <Code lang="HTTP" text={text} wrap />
    </details>
  );
}

function textOf({ headers, body }: Message): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [...lines, "", body].join("\n");
}
