import { Laptop } from "lucide-react";
import { useState } from "react";
import type { LinkedDeviceView, PhoneView } from "test-network/phone/views.ts";
import { StatusIcon } from "../../src/ui/status.tsx";
import { to } from "../network/address.ts";
import { ask, change } from "../network/control.ts";
import { useAction } from "../network/action.ts";
import { Button, buttonClass } from "../../src/ui/button.tsx";
import { Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { Confirm } from "../widgets/sheet.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

/** The network's maximum for `times`. With this maximum, a fault lasts in practice until somebody removes it. */
const ALWAYS = 10_000;

export function Devices({ view }: { view: PhoneView }) {
  const { phone, devices, faults, code_requested: isCodeAsked } = view;
  const w = usePhoneTexts();
  const act = useAction();
  const [leaving, setLeaving] = useState<LinkedDeviceView | null>(null);
  const isHeld = faults.some(({ kind, times = 0 }) => kind === "drop_socket" && times > 1);
  const drop = (times: number, done: string): void => void act(() => ask("POST", "/faults", { phone, kind: "drop_socket", times }), done);
  return (
    <>
      <ScreenBar title={w.devices.title} />
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface p-3">
        {isCodeAsked && (
          <div className="mb-3 rounded-md border border-attention p-3">
            <p className="font-semibold">{w.devices.codeRequested}</p>
            <LinkTo href={to(phone, "link", "code")}>{w.devices.enterCode}</LinkTo>
          </div>
        )}
        {devices.length === 0 && <Nothing text={w.devices.none} hint={w.devices.noneHint} />}
        <ul>
          {devices.map((one) => (
            <li key={one.device} className="flex items-center gap-3 border-b border-line py-2">
              <Laptop aria-hidden="true" className="size-6 shrink-0 text-soft" />
              <span className="min-w-0 flex-1">
                <span className="block truncate font-semibold">
                  {one.platform} <span className="font-normal text-soft">· {w.devices.number(one.device)}</span>
                </span>
                <span className={`block text-sm ${one.online ? "text-good" : "text-soft"}`}>
                  <StatusIcon status={one.online ? "connected" : "disconnected"} size={10} />{" "}
                  {one.online ? w.devices.connected : w.devices.away}
                </span>
              </span>
              <Button kind="danger" onClick={() => setLeaving(one)}>
                {w.devices.unlink}
              </Button>
            </li>
          ))}
        </ul>
        <a href={to(phone, "link")} className={buttonClass("primary", "mt-4 w-full")}>
          {w.devices.link}
        </a>
        {devices.length > 0 && (
          <section className="mt-8 border-t border-line pt-4">
            <h3>{w.devices.connectionTitle}</h3>
            <p className="mt-1 text-sm text-soft">{w.devices.connectionHint}</p>
            {isHeld && <p className="mt-2 font-semibold text-bad">{w.devices.held}</p>}
            <div className="mt-3 flex flex-wrap gap-2">
              {isHeld ? (
                <Button kind="primary" onClick={() => void act(() => ask("DELETE", `/faults?phone=${phone}`), w.devices.released)}>
                  {w.devices.release}
                </Button>
              ) : (
                <>
                  <Button onClick={() => drop(1, w.devices.dropped)}>{w.devices.drop}</Button>
                  <Button onClick={() => drop(ALWAYS, w.devices.held)}>{w.devices.hold}</Button>
                </>
              )}
            </div>
          </section>
        )}
      </div>
      {leaving !== null && (
        <Confirm
          title={w.devices.unlinkAsk(leaving.platform)}
          loses={w.devices.unlinkLoses}
          yes={w.devices.unlink}
          onClose={() => setLeaving(null)}
          onYes={() => void act(() => change(phone, "POST", "/unlink", { device: leaving.device }), w.devices.unlinked)}
        />
      )}
    </>
  );
}

function LinkTo({ href, children }: { href: string; children: string }) {
  return (
    <a href={href} className="mt-1 inline-flex min-h-11 items-center font-semibold text-accent underline">
      {children}
    </a>
  );
}
