import { groupedPhone } from "../../src/domain/phone.ts";
import { useQuery } from "@tanstack/react-query";
import { Phone as Receiver, PhoneIncoming, PhoneOff, PhoneOutgoing, Video } from "lucide-react";
import { useEffect, useRef, useState } from "react";
import type { CallDocument } from "test-network/phone/views.ts";
import { useNow } from "../../src/ui/clock.ts";
import { change, people, reading } from "../network/control.ts";
import { duration, useNames, useTimes } from "../network/names.ts";
import { useAction } from "../network/action.ts";
import { Avatar, Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";
import { IconButton } from "../../src/ui/button.tsx";

/** A call that rings longer never ended properly, and is only shown in the list. */
const RINGS_SECONDS = 90;

export function useCallNow(phone: string): CallDocument | null {
  const { data: calls = [] } = useQuery(reading(phone, "/calls"));
  const now = useNow() / 1000;
  const current = calls.filter(
    ({ status, started_at }) => status === "accepted" || (status === "ringing" && now - started_at < RINGS_SECONDS),
  );
  return current.at(-1) ?? null;
}

export function CallScreen({ phone, call }: { phone: string; call: CallDocument }) {
  const w = usePhoneTexts();
  const act = useAction();
  const nameOf = useNames(phone);
  const { data: everybody = [] } = useQuery(people());
  const name = nameOf(call.peer);
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    heading.current?.focus({ preventScroll: true });
    return () => {
      if (before instanceof HTMLElement) before.focus({ preventScroll: true });
    };
  }, []);
  const end = (how: "accept" | "reject" | "end"): void => void act(() => change(phone, "POST", `/calls/${call.call_id}/${how}`));
  const isRinging = call.status === "ringing" && call.direction === "in";
  const title = call.status === "accepted" ? w.calls.talking(name) : isRinging ? w.calls.incoming(name) : w.calls.calling(name);
  return (
    <div
      role="alertdialog"
      aria-label={title}
      className="absolute inset-0 z-40 flex flex-col items-center justify-between bg-ground px-6 pt-20 pb-12 text-center"
    >
      <div className="flex flex-col items-center gap-3">
        <Avatar
          phone={phone}
          peer={call.peer}
          title={name}
          picture={everybody.find((one) => one.phone === call.peer)?.picture ?? null}
          size="size-28 text-2xl"
        />
        <h2 ref={heading} tabIndex={-1} className="outline-none">
          {title}
        </h2>
        <p className="text-soft">{groupedPhone(call.peer)}</p>
        <p className="text-lg" aria-live="off">
          {call.status === "accepted" ? <Timer key={call.call_id} /> : w.calls.ringing}
          {" · "}
          {call.video ? w.calls.video : w.calls.voice}
        </p>
        <p className="text-sm text-soft">{w.calls.noSound}</p>
      </div>
      <div className="flex w-full justify-evenly">
        {isRinging ? (
          <>
            <CallButton icon={PhoneOff} label={w.calls.decline} look="bg-bad" onClick={() => end("reject")} />
            <CallButton icon={Receiver} label={w.calls.accept} look="bg-good" onClick={() => end("accept")} />
          </>
        ) : (
          <CallButton icon={PhoneOff} label={w.calls.hangUp} look="bg-bad" onClick={() => end("end")} />
        )}
      </div>
    </div>
  );
}

function CallButton({ icon: Icon, label, look, onClick }: { icon: typeof PhoneOff; label: string; look: string; onClick: () => void }) {
  return (
    <button type="button" onClick={onClick} className="flex flex-col items-center gap-2 font-semibold">
      <span className={`inline-flex size-16 items-center justify-center rounded-full text-surface ${look}`}>
        <Icon aria-hidden="true" className="size-7" />
      </span>
      {label}
    </button>
  );
}

function Timer() {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    const timer = setInterval(() => setSeconds((before) => before + 1), 1000);
    return () => clearInterval(timer);
  }, []);
  return <span className="tabular-nums">{duration(seconds)}</span>;
}

export function Calls({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const act = useAction();
  const nameOf = useNames(phone);
  const { brief, full } = useTimes();
  const { data: calls } = useQuery(reading(phone, "/calls"));
  return (
    <>
      <ScreenBar title={w.tabs.calls} />
      <div className="min-h-0 flex-1 overflow-y-auto bg-surface">
        {calls?.length === 0 && <Nothing text={w.calls.none} />}
        <ul>
          {[...(calls ?? [])].reverse().map(({ call_id, peer, direction, video, status, started_at }) => {
            const Icon = direction === "in" ? PhoneIncoming : PhoneOutgoing;
            return (
              <li key={call_id} className="flex items-center gap-3 border-b border-line px-3 py-2">
                <Icon aria-hidden="true" className={`size-5 shrink-0 ${status === "rejected" ? "text-bad" : "text-soft"}`} />
                <span className="min-w-0 flex-1">
                  <span className="block truncate font-semibold">{nameOf(peer)}</span>
                  <span className="block text-sm text-soft">
                    {w.calls[direction]}, {video ? w.calls.video : w.calls.voice}, {w.calls[status]} ·{" "}
                    <time title={full(started_at)}>{brief(started_at)}</time>
                  </span>
                </span>
                <IconButton
                  icon={video ? Video : Receiver}
                  label={w.calls.again(nameOf(peer))}
                  onClick={() => void act(() => change(phone, "POST", "/call", { to: peer, video }))}
                />
              </li>
            );
          })}
        </ul>
      </div>
    </>
  );
}
