import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Outlet, useParams } from "@tanstack/react-router";
import { FilterX, RotateCw, Send } from "lucide-react";
import { type ReactNode, useState } from "react";
import { CONNECTION_EVENTS } from "@gateway/domain/webhooks/connection-events.ts";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { refresh } from "../../api/cache.ts";
import { usePages } from "../../api/pages.ts";
import { useFresh } from "../../api/fresh.ts";
import { span } from "../../texts/span.ts";
import { Button, ButtonLink } from "../../ui/button.tsx";
import { useNow } from "../../ui/clock.ts";
import { OPENED_HERE } from "../../ui/use-closing.ts";
import { FilterChips, FilterSelect, useFilter, useFilters } from "../../ui/forms/filters.tsx";
import { PageTitle } from "../../ui/heading.tsx";
import { Paged } from "../../ui/pager.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { Panel } from "../../ui/panel.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, RowLink, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { locale, useLanguage } from "../../texts/language.ts";
import { DELIVERIES } from "../../texts/catalogs.ts";
import { addressOf, AnswerText, type Delivery, type DeliveryTexts, isStatus, StatusBadge } from "./shown.tsx";
import { FormDialog } from "../../ui/forms/form-dialog.tsx";
import { Select, TextField, useForm } from "../../ui/forms/field.tsx";
import { toast } from "../../ui/toast.tsx";
import { serverNow } from "../../api/server-time.ts";

const LIST = "GET /connections/{id}/webhook/deliveries";
const ONE = "GET /connections/{id}/deliveries/{delivery_id}";
const WEBHOOK = "GET /connections/{id}/webhook";

export function Deliveries() {
  const texts = useTexts(DELIVERIES);
  const { id } = useParams({ from: "/in/connections/$id/deliveries" });
  useFresh("deliveries", [LIST, ONE, WEBHOOK]);
  const webhook = useQuery(reading(WEBHOOK, { id }));
  const { ownerOnly } = useRole();
  const [resending, setResending] = useState(false);
  const made = webhook.data?.data ?? null;
  const none = webhook.data !== undefined && made === null;
  return (
    <div className="grid min-w-0 gap-4">
      <header className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3">
        <div>
          <PageTitle>{texts.title}</PageTitle>
          <p className="max-w-prose text-soft">{texts.about}</p>
        </div>
        {made !== null && (
          <Button icon={RotateCw} why={ownerOnly} onClick={() => setResending(true)}>
            {texts.resendFailed.action}
          </Button>
        )}
      </header>
      {none ? (
        <Panel title={texts.list} flush>
          <Empty
            icon={Send}
            title={texts.noWebhook.title}
            text={texts.noWebhook.text}
            action={<ToWebhook id={id}>{texts.noWebhook.action}</ToWebhook>}
          />
        </Panel>
      ) : (
        <>
          {made !== null && <Trouble id={id} webhook={made} texts={texts} />}
          {webhook.data === undefined ? (
            <Panel title={texts.list} flush>
              <Query result={webhook} label={texts.loading} lines={6}>
                {() => null}
              </Query>
            </Panel>
          ) : (
            <List id={id} texts={texts} url={made?.url} />
          )}
        </>
      )}
      {resending && <ResendFailed id={id} onClose={() => setResending(false)} />}
      <Outlet />
    </div>
  );
}

function ToWebhook({ id, children }: { id: string; children: ReactNode }) {
  return (
    <ButtonLink to="/connections/$id/integrations" params={{ id }} hash="webhook" kind="primary">
      {children}
    </ButtonLink>
  );
}

function Trouble({ id, webhook, texts }: { id: string; webhook: NonNullable<ResponseBody<typeof WEBHOOK>["data"]>; texts: DeliveryTexts }) {
  const { failing_since: failing, disables_at: disables, disabled_at: disabled } = webhook;
  const language = useLanguage();
  const now = useNow();
  if (failing === null && disabled === null) return null;
  return (
    <section
      aria-label={disabled === null ? texts.failing.since : texts.failing.disabled}
      className={`flex flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md border bg-surface px-4 py-3 ${disabled === null ? "border-attention" : "border-bad"}`}
    >
      <div>
        <p className="font-semibold">
          <span aria-hidden className={disabled === null ? "text-attention" : "text-bad"}>
            ▲{" "}
          </span>
          {disabled === null ? texts.failing.since : texts.failing.disabled} <When time={disabled ?? failing} />.
          {disabled === null && disables !== null && ` ${texts.failing.disables(span(Date.parse(disables) - now, locale(language)))}`}
        </p>
        <p className="text-soft">{disabled === null ? texts.failing.repair : texts.failing.reactivate}</p>
      </div>
      <ButtonLink to="/connections/$id/integrations" params={{ id }} hash="webhook">
        {texts.failing.action}
      </ButtonLink>
    </section>
  );
}

function List({ id, texts, url }: { id: string; texts: DeliveryTexts; url: string | undefined }) {
  const [status] = useFilter("status");
  const [event] = useFilter("event");
  const choose = useFilters();
  const { delivery: open } = useParams({ strict: false });
  const filtered = status !== "" || event !== "";
  const given = { id, ...(isStatus(status) ? { status } : {}), ...(event === "" ? {} : { event }) };
  const result = usePages(LIST, given);
  const clear = () => choose({ status: "", event: "" });
  const empty = filtered ? (
    <Empty title={texts.nothing.title} text={texts.nothing.text} action={<Button onClick={clear}>{texts.filters.clear}</Button>} />
  ) : (
    <Empty icon={Send} title={texts.empty.title} text={texts.empty.text} action={<ToWebhook id={id}>{texts.empty.action}</ToWebhook>} />
  );
  const address =
    url === undefined ? undefined : (
      <>
        {texts.address}: <Mono>{addressOf(url)}</Mono>
      </>
    );
  return (
    <Panel title={texts.list} about={address} flush>
      <div className="flex flex-wrap items-end gap-x-4 gap-y-3 border-b border-line p-4 sm:[&>fieldset]:basis-full">
        <FilterChips
          name="status"
          label={texts.filters.status}
          options={(["pending", "delivered", "failed", "skipped"] as const).map((value) => ({ value, label: texts.status[value] }))}
        />
        <FilterSelect
          name="event"
          label={texts.filters.event}
          every={texts.filters.everyEvent}
          options={CONNECTION_EVENTS.map((type) => ({ value: type, label: type }))}
        />
        {filtered && (
          <Button kind="quiet" icon={FilterX} onClick={clear}>
            {texts.filters.clear}
          </Button>
        )}
      </div>
      <Paged result={result} label={texts.loading} lines={6} empty={empty}>
        {(deliveries) => (
          <Rows
            caption={texts.list}
            columns={columnsOf(id, texts)}
            rows={deliveries}
            keyOf={(row) => row.id}
            isCurrent={(row) => row.id === open}
          />
        )}
      </Paged>
    </Panel>
  );
}

function columnsOf(id: string, texts: DeliveryTexts): readonly Column<Delivery>[] {
  return [
    {
      id: "event",
      header: texts.columns.event,
      cell: (delivery) => (
        <RowLink
          to="/connections/$id/deliveries/$delivery"
          params={{ id, delivery: delivery.id }}
          search
          state={OPENED_HERE}
          resetScroll={false}
        >
          {delivery.event}
        </RowLink>
      ),
    },
    { id: "status", header: texts.columns.status, cell: (delivery) => <StatusBadge status={delivery.status} texts={texts} /> },
    {
      id: "answer",
      header: texts.columns.answer,
      cell: ({ http_status, last_error }) => <AnswerText status={http_status} error={last_error} texts={texts} />,
    },
    { id: "attempts", header: texts.columns.attempts, cell: ({ attempts }) => attempts, numeric: true, wideOnly: true },
    {
      id: "next",
      header: texts.columns.next,
      wideOnly: true,
      cell: ({ next_attempt_at }) => (
        <span className="whitespace-nowrap">
          <When time={next_attempt_at} none={texts.none} plain />
        </span>
      ),
    },
    {
      id: "at",
      header: texts.columns.at,
      cell: ({ created_at }) => (
        <span className="whitespace-nowrap">
          <When time={created_at} plain />
        </span>
      ),
    },
  ];
}

const HOUR_MS = 3_600_000;
const BACK_MS = { hour: HOUR_MS, day: 24 * HOUR_MS, week: 7 * 24 * HOUR_MS } as const;
type Choice = keyof typeof BACK_MS | "exact";

export function ResendFailed({ id, onClose }: { id: string; onClose: () => void }) {
  const texts = useTexts(DELIVERIES).resendFailed;
  const client = useQueryClient();
  const [choice, setChoice] = useState<Choice>("day");
  const form = useForm(async (fields, idempotencyKey) => {
    const back = choice === "exact" ? null : BACK_MS[choice];
    const since = new Date(back === null ? (fields.get("exact_time") as string) : serverNow() - back);
    const { data } = await api("POST /connections/{id}/webhook/resend", { id, since: since.toISOString() }, { idempotencyKey });
    await refresh(client, ["GET /connections/{id}/webhook/deliveries"]);
    toast(texts.done(data.count));
    onClose();
  });
  return (
    <FormDialog title={texts.title} form={form} submit={texts.submit} onClose={onClose} about={<p>{texts.text}</p>}>
      <Select
        label={texts.since}
        name="since"
        value={choice}
        onChange={({ target }) => setChoice(target.value as Choice)}
        options={(["hour", "day", "week", "exact"] as const).map((value) => ({ value, label: texts.choices[value] }))}
      />
      {choice === "exact" && (
        <TextField label={texts.exactTime} name="exact_time" type="datetime-local" hint={texts.exactTimeHint} required />
      )}
    </FormDialog>
  );
}
