import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useParams } from "@tanstack/react-router";
import { RotateCw } from "lucide-react";
import { type ReactNode, useState } from "react";
import { refresh } from "../../api/cache.ts";
import { type ResponseBody, api, reading } from "../../api/client.ts";
import { signedAt, signedCurl, type SignedDelivery, VALID_SECONDS } from "../../domain/snippets.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { useSecondsLeft } from "../../ui/clock.ts";
import { Drawer } from "../../ui/dialog.tsx";
import { useClosing } from "../../ui/use-closing.ts";
import { Code, Mono } from "../../ui/code/code.tsx";
import { CopyButton } from "../../ui/code/copy.tsx";
import { useAction } from "../../ui/forms/action.ts";
import { Facts } from "../../ui/facts.tsx";
import { Form, TextField, useForm } from "../../ui/forms/field.tsx";
import { FormError } from "../../ui/forms/form-error.tsx";
import { Json } from "../../ui/code/json.tsx";
import { useRole } from "../../ui/role-gate.tsx";
import { Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { announce } from "../../ui/toast.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { DELIVERIES } from "../../texts/catalogs.ts";
import { addressOf, AnswerText, type DeliveryTexts, StatusBadge } from "./shown.tsx";

const ONE = "GET /connections/{id}/deliveries/{delivery_id}";
type Detail = ResponseBody<typeof ONE>["data"];
type Attempt = Detail["attempt_log"][number];

export function Delivery() {
  const texts = useTexts(DELIVERIES);
  const { id, delivery } = useParams({ from: "/in/connections/$id/deliveries/$delivery" });
  const close = useClosing({ to: "/connections/$id/deliveries", params: { id } });
  const result = useQuery(reading(ONE, { id, delivery_id: delivery }));
  const url = useQuery(reading("GET /connections/{id}/webhook", { id })).data?.data?.url;
  return (
    <Drawer open onClose={close} title={result.data?.data.event ?? texts.title}>
      <Query result={result} label={texts.detail.loading} lines={6}>
        {({ data }) => (
          <>
            <Summary texts={texts} delivery={data} url={url} />
            <Resend id={id} texts={texts} delivery={data} />
            <Attempts texts={texts} attempts={data.attempt_log} />
            <section className="grid min-w-0 gap-2">
              <h3>{texts.detail.body}</h3>
              {data.request_body === null ? <p className="text-soft">{texts.detail.expired}</p> : <Json text={data.request_body} />}
            </section>
            {data.request_body !== null && <Local id={id} texts={texts} delivery={data.id} />}
          </>
        )}
      </Query>
    </Drawer>
  );
}

function Summary({ texts, delivery, url }: { texts: DeliveryTexts; delivery: Detail; url: string | undefined }) {
  const { id, status, last_error: error, created_at, delivered_at, next_attempt_at } = delivery;
  const reason = error !== null && Object.hasOwn(texts.errors, error) ? texts.errors[error as keyof DeliveryTexts["errors"]] : error;
  const facts: [string, ReactNode][] = [
    [texts.detail.status, <StatusBadge key="status" status={status} texts={texts} />],
    ...(reason === null ? [] : ([[texts.detail.error, reason]] as [string, ReactNode][])),
    [texts.detail.created, <When key="created" time={created_at} />],
    ...(delivered_at === null ? [] : ([[texts.detail.delivered, <When key="delivered" time={delivered_at} />]] as [string, ReactNode][])),
    ...(next_attempt_at === null ? [] : ([[texts.detail.next, <When key="next" time={next_attempt_at} />]] as [string, ReactNode][])),
    ...(url === undefined ? [] : ([[texts.address, <Mono key="address">{addressOf(url)}</Mono>]] as [string, ReactNode][])),
    [
      texts.detail.id,
      <span key="id" className="inline-flex flex-wrap items-center gap-1">
        <Mono>{id}</Mono>
        <CopyButton value={id} label={texts.detail.copyId} iconOnly />
      </span>,
    ],
  ];
  return <Facts facts={facts} />;
}

function Resend({ id, texts, delivery }: { id: string; texts: DeliveryTexts; delivery: Detail }) {
  const { ownerOnly } = useRole();
  const { busy, refused, run } = useAction();
  const client = useQueryClient();
  const [resent, setResent] = useState(false);
  const resend = () =>
    run(async () => {
      await api("POST /connections/{id}/deliveries/{delivery_id}/resend", { id, delivery_id: delivery.id });
      setResent(true);
      announce(texts.detail.resent);
      await refresh(client, [ONE, "GET /connections/{id}/webhook/deliveries"]);
    });
  const why = delivery.request_body === null ? texts.detail.expired : ownerOnly;
  return (
    <div className="grid gap-2">
      <div className="flex flex-wrap items-center gap-3">
        <Button icon={RotateCw} busy={busy} why={why} onClick={() => void resend()}>
          {texts.detail.resend}
        </Button>
        {resent && <Badge tone="info">{texts.detail.sameId}</Badge>}
      </div>
      {resent && <p className="text-sm text-soft">{texts.detail.sameIdText}</p>}
      <FormError refused={refused} />
    </div>
  );
}

function Attempts({ texts, attempts }: { texts: DeliveryTexts; attempts: readonly Attempt[] }) {
  const { detail } = texts;
  return (
    <section className="grid min-w-0 gap-2">
      <h3>{detail.attempts}</h3>
      {attempts.length === 0 ? (
        <p className="text-soft">{detail.noAttempts}</p>
      ) : (
        <div className="min-w-0 rounded-md border border-line">
          <Rows
            caption={detail.attempts}
            columns={attemptColumns(texts)}
            rows={attempts.map((attempt, index) => ({ ...attempt, number: index + 1 })).reverse()}
            keyOf={({ number }) => number}
          />
        </div>
      )}
    </section>
  );
}

function attemptColumns(texts: DeliveryTexts): readonly Column<Attempt & { number: number }>[] {
  const { detail } = texts;
  return [
    { id: "number", header: detail.number, cell: ({ number }) => detail.attempt(number) },
    {
      id: "answer",
      header: detail.answer,
      cell: ({ http_status, error }) =>
        error === null ? (
          <span>
            <span className="font-semibold">{http_status}</span> <span className="text-good">{detail.accepted}</span>
          </span>
        ) : (
          <AnswerText status={http_status} error={error} texts={texts} />
        ),
    },
    { id: "ms", header: detail.ms, cell: ({ latency_ms }) => detail.msValue(latency_ms), numeric: true },
    { id: "at", header: detail.at, cell: ({ at }) => <When time={at} /> },
  ];
}

/** Shows a signed request to send locally. The worker signs it, because the secret never reaches the browser. */
function Local({ id, texts, delivery }: { id: string; texts: DeliveryTexts; delivery: string }) {
  const { ownerOnly } = useRole();
  const [made, setMade] = useState<{ target: string; signed: SignedDelivery } | null>(null);
  const form = useForm(async (fields) => {
    const { data } = await api("POST /connections/{id}/deliveries/{delivery_id}/signed", { id, delivery_id: delivery });
    setMade({ target: fields.get("target") as string, signed: data });
  });
  const { local } = texts;
  return (
    <section className="grid min-w-0 gap-3">
      <h3>{local.title}</h3>
      <p className="text-soft">{local.text}</p>
      <Form form={form} className="grid gap-3">
        <TextField label={local.target} name="target" type="url" required defaultValue="http://localhost:3000/" />
        <div>
          <Button type="submit" busy={form.busy} why={ownerOnly}>
            {made === null ? local.submit : local.again}
          </Button>
        </div>
        <FormError refused={form.refused} />
      </Form>
      {made !== null && (
        <>
          <Code key={made.signed.headers["webhook-signature"]} lang="curl" text={signedCurl(made.target, made.signed)} wrap />
          <Validity until={(signedAt(made.signed) ?? 0) + VALID_SECONDS * 1_000} texts={texts} />
        </>
      )}
    </section>
  );
}

function Validity({ until, texts }: { until: number; texts: DeliveryTexts }) {
  const left = useSecondsLeft(until);
  return <p className="text-sm text-soft">{left === 0 ? texts.local.expired : texts.local.valid(left)}</p>;
}
