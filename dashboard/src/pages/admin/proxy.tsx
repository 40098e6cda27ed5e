import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { api, reading } from "../../api/client.ts";
import { Button } from "../../ui/button.tsx";
import { Drawer } from "../../ui/dialog.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { StatusIcon, type ShownStatus } from "../../ui/status.tsx";
import { PhoneNumber } from "../../ui/phone.tsx";
import { Query } from "../../ui/states.tsx";
import { When } from "../../ui/when.tsx";
import { useTexts } from "../../texts/catalog.ts";
import { ActionDialog } from "./action-dialog.tsx";
import { FactGrid } from "../../ui/facts.tsx";
import { EditProxy, type Proxy, STALE } from "./proxy-forms.tsx";
import { ADMIN } from "../../texts/catalogs.ts";

type ProxyStatus = Proxy["health"]["status"];
const ICONS: Record<ProxyStatus, ShownStatus> = { healthy: "connected", degraded: "connecting", down: "failed", unknown: "disconnected" };

type StateOfProps = { proxy: Pick<Proxy, "label" | "health" | "is_active">; name?: boolean };

export function StateOf({ proxy: { label, health, is_active: active }, name = false }: StateOfProps) {
  const texts = useTexts(ADMIN).proxies;
  return (
    <span className="inline-flex items-baseline gap-1.5" data-proxy-status={health.status}>
      <span className="self-center">
        <StatusIcon status={ICONS[health.status]} />
      </span>
      <span className="min-w-0 wrap-anywhere">
        {name && (
          <span className="font-semibold">
            <bdi>{label}</bdi>:{" "}
          </span>
        )}
        <span className={name ? "" : "font-semibold"}>{texts.statuses[health.status]}</span>
        {!active && <span className="text-soft"> – {texts.inactive}</span>}
        {health.last_error !== null && <span className="text-soft"> – {texts.errors[health.last_error]}</span>}
      </span>
    </span>
  );
}

export function Numbers({ id }: { id: string }) {
  const texts = useTexts(ADMIN).proxies;
  const proxy = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id })).data?.data;
  if (proxy === undefined) return null;
  if (proxy.instances.length === 0) return <p className="text-soft">{texts.carriesNone}</p>;
  return (
    <ul aria-label={texts.carries} className="flex flex-wrap gap-x-4 gap-y-1">
      {proxy.instances.map(({ id: instance, name, phone_number }) => (
        <li key={instance} className="break-words">
          {name}
          {phone_number !== null && (
            <>
              {" "}
              <PhoneNumber digits={phone_number} />
            </>
          )}
        </li>
      ))}
    </ul>
  );
}

export function ProxyDrawer({ id, onClose }: { id: string; onClose: () => void }) {
  const texts = useTexts(ADMIN).proxies;
  const all = useTexts(ADMIN);
  const result = useQuery(reading("GET /admin/proxies/{proxy_id}", { proxy_id: id }));
  const [dialog, setDialog] = useState<"check" | "edit" | "remove" | null>(null);
  return (
    <Drawer open onClose={onClose} title={result.data?.data.label ?? texts.proxy}>
      <Query result={result}>
        {({ data: proxy }) => (
          <div className="grid gap-4">
            <StateOf proxy={proxy} />
            <FactGrid
              facts={[
                [texts.host, `${proxy.protocol}://${proxy.host}:${proxy.port}`],
                [texts.username, proxy.username ?? "–"],
                [texts.password, proxy.has_password ? all.yes : all.no],
                [texts.country, proxy.country ?? "–"],
                [texts.used, `${proxy.assigned} / ${proxy.max_instances}`],
                [texts.isActive, proxy.is_active ? all.yes : all.no],
                [texts.checked, <When key="checked" time={proxy.health.checked_at} />],
              ]}
            />
            <section>
              <h3>{texts.carries}</h3>
              <Numbers id={proxy.id} />
            </section>
            <div className="flex flex-wrap gap-2">
              <Button kind="primary" onClick={() => setDialog("check")}>
                {texts.check}
              </Button>
              <Button onClick={() => setDialog("edit")}>{texts.edit}</Button>
              <Button kind="danger" onClick={() => setDialog("remove")}>
                {texts.remove}
              </Button>
            </div>
            {dialog === "check" && (
              <ActionDialog
                title={proxy.label}
                action={texts.check}
                onClose={() => setDialog(null)}
                stale={STALE}
                onConfirm={({ reason, click }) => api("POST /admin/proxies/{proxy_id}/check", { proxy_id: id, reason }, { click })}
              />
            )}
            {dialog === "edit" && <EditProxy proxy={proxy} onClose={() => setDialog(null)} />}
            {dialog === "remove" && (
              <ActionDialog
                title={proxy.label}
                action={texts.remove}
                danger
                onClose={() => setDialog(null)}
                stale={["GET /admin/proxies", "GET /admin/proxies/health"]}
                onConfirm={async ({ reason, fields, click }) => {
                  await api("DELETE /admin/proxies/{proxy_id}", { proxy_id: id, reason, reassign: fields.has("reassign") }, { click });
                  onClose();
                }}
              >
                <p>{texts.removeLost}</p>
                {proxy.assigned > 0 && <Check name="reassign" label={texts.reassign} />}
              </ActionDialog>
            )}
          </div>
        )}
      </Query>
    </Drawer>
  );
}
