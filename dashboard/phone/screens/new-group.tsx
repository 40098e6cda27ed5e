import { useQuery } from "@tanstack/react-query";
import { to } from "../network/address.ts";
import { change, people } from "../network/control.ts";
import { useNames } from "../network/names.ts";
import { fieldOf, useAct } from "../network/act.ts";
import { Button } from "../../src/ui/button.tsx";
import { TextField } from "../../src/ui/forms/field.tsx";
import { ScreenBar } from "../widgets/pieces.tsx";
import { PeoplePicker } from "../widgets/people-picker.tsx";
import { usePhoneTexts } from "../texts/texts.ts";

export function NewGroup({ phone }: { phone: string }) {
  const w = usePhoneTexts();
  const act = useAct();
  const nameOf = useNames(phone);
  const { data: everybody = [] } = useQuery(people());
  const create = async (form: FormData): Promise<void> => {
    const body = { subject: fieldOf(form, "subject"), participants: form.getAll("people").filter((one) => typeof one === "string") };
    const made = await act(() => change<{ group_id: string }>(phone, "POST", "/groups", body));
    if (made !== undefined) location.replace(to(phone, "chat", made.group_id));
  };
  const join = async (form: FormData): Promise<void> => {
    const body = { invite_code: fieldOf(form, "code") };
    const made = await act(() => change<{ group_id: string; pending: boolean }>(phone, "POST", "/groups/join", body), w.content.joined);
    if (made !== undefined && !made.pending) location.replace(to(phone, "chat", made.group_id));
  };
  return (
    <>
      <ScreenBar title={w.groups.newTitle} back={to(phone, "write")} />
      <div className="min-h-0 flex-1 space-y-8 overflow-y-auto bg-surface p-3">
        <form action={create} className="space-y-4">
          <TextField label={w.groups.subject} name="subject" required maxLength={100} />
          <PeoplePicker
            legend={w.groups.people}
            people={everybody.filter((one) => one.phone !== phone).map((one) => one.phone)}
            nameOf={nameOf}
          />
          <Button type="submit" kind="primary" className="w-full">
            {w.groups.create}
          </Button>
        </form>
        <form action={join} className="space-y-2 border-t border-line pt-4">
          <TextField label={w.groups.join} name="code" required maxLength={256} />
          <Button type="submit">{w.groups.joinButton}</Button>
        </form>
      </div>
    </>
  );
}
