// The receivers of an instance's events, each with its state and the deliveries that it did not accept.
import { useQuery } from "@tanstack/react-query";
import { type ResponseBody, reading } from "../../api/client.ts";
import { Badge } from "../../ui/badge.tsx";
import { Mono } from "../../ui/code/code.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { FactGrid } from "../../ui/facts.tsx";
import { Empty, Query } from "../../ui/states.tsx";
import { type Column, Rows } from "../../ui/table.tsx";
import { When } from "../../ui/when.tsx";
import { ADMIN, DELIVERIES } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { AnswerText, type Delivery, type DeliveryTexts, StatusBadge } from "../deliveries/shown.tsx";

type Receiver = ResponseBody<"GET /admin/instances/{instance_id}/webhooks">["data"][number];

export function Webhooks({ id, name, onClose }: { id: string; name: string | undefined; onClose: () => void }) {
  const texts = useTexts(ADMIN).webhooks;
  const result = useQuery(reading("GET /admin/instances/{instance_id}/webhooks", { instance_id: id }));
  return (
    <Drawer open onClose={onClose} title={name === undefined ? texts.title : texts.titleOf(name)}>
      <Query result={result} lines={6}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title={texts.none} text={texts.noneText} />
          ) : (
            data.map((receiver) => <Shown key={receiver.id ?? ""} receiver={receiver} />)
          )
        }
      </Query>
    </Drawer>
  );
}

function Shown({ receiver: { id, url, is_active: isActive, last_success_at: accepted, deliveries } }: { receiver: Receiver }) {
  const texts = useTexts(ADMIN).webhooks;
  const shared = useTexts(DELIVERIES);
  const tried = deliveries.find(({ attempts }) => attempts > 0);
  const isFailing = tried !== undefined && (accepted === null || accepted < tried.created_at);
  return (
    <section aria-label={url} className="grid min-w-0 gap-3">
      <h3 className="wrap-anywhere">
        <Mono>{url}</Mono>
      </h3>
      <FactGrid
        facts={[
          [texts.kind, id === null ? texts.ofConnection : texts.ofAccount],
          [
            texts.state,
            <Badge key="state" tone={!isActive ? "bad" : isFailing ? "attention" : "good"}>
              {!isActive ? texts.inactive : isFailing ? texts.failing : texts.active}
            </Badge>,
          ],
          [texts.lastAccepted, <When key="accepted" time={accepted} none={texts.noneAccepted} />],
          ...(tried === undefined
            ? []
            : ([
                [texts.lastRefused, <AnswerText key="refused" status={tried.http_status} error={tried.last_error} texts={shared} />],
              ] as const)),
        ]}
      />
      {deliveries.length === 0 ? (
        <p className="text-soft">{texts.noFailures}</p>
      ) : (
        <div className="rounded-md border border-line">
          <Rows caption={texts.list} rows={deliveries} keyOf={(delivery) => delivery.id} columns={columnsOf(shared)} />
        </div>
      )}
    </section>
  );
}

function columnsOf(texts: DeliveryTexts): readonly Column<Delivery>[] {
  return [
    { id: "event", header: texts.columns.event, cell: ({ event }) => <span className="font-semibold">{event}</span> },
    { id: "status", header: texts.columns.status, cell: ({ status }) => <StatusBadge status={status} texts={texts} /> },
    {
      id: "answer",
      header: texts.columns.answer,
      cell: ({ http_status, last_error }) => <AnswerText status={http_status} error={last_error} texts={texts} />,
    },
    { id: "attempts", header: texts.columns.attempts, numeric: true, cell: ({ attempts }) => attempts },
    { id: "next", header: texts.columns.next, cell: ({ next_attempt_at: next }) => <When time={next} none={texts.none} plain /> },
    { id: "at", header: texts.columns.at, cell: ({ created_at: at }) => <When time={at} plain /> },
  ];
}
