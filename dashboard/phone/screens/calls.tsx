import { useQuery } from "@tanstack/react-query";
import { Phone as Receiver, PhoneIncoming, PhoneOutgoing, Video } from "lucide-react";
import { change, reading } from "../network/control.ts";
import { useNames, useTimes } from "../network/names.ts";
import { useAct } from "../network/act.ts";
import { IconButton } from "../../src/ui/button.tsx";
import { Nothing, ScreenBar } from "../widgets/pieces.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

export function Calls({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const act = useAct();
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
