// This browser's notifications about the number's new messages.
import { useMutation, useQuery } from "@tanstack/react-query";
import { api, reading } from "../../api/client.ts";
import { refusalText, Refused } from "../../api/refused.ts";
import { queries } from "../../api/cache.ts";
import { pushState, subscribe } from "../../shell/service-worker.ts";
import { Button } from "../../ui/button.tsx";
import { Check } from "../../ui/forms/tick.tsx";
import { Panel } from "../../ui/panel.tsx";
import { toast } from "../../ui/toast.tsx";
import { SETTINGS } from "../../texts/catalogs.ts";
import { useTexts } from "../../texts/catalog.ts";
import { useLanguage } from "../../texts/language.ts";

export function Notifications({ id }: { id: number }) {
  const texts = useTexts(SETTINGS).notifications;
  const language = useLanguage();
  const state = useQuery({ queryKey: ["push state"], queryFn: pushState }).data;
  const chosen = useQuery({ ...reading("GET /connections/{id}/notifications", { id }), enabled: state === "ready" }).data?.data.shows_text;
  const change = useMutation<boolean, Error, boolean | null>({
    mutationFn: async (showsText) => {
      // Subscribes again even if this number was chosen before, because the browser may have dropped its subscription.
      if (showsText !== null && chosen === null && !(await subscribe())) return false;
      const answer = await api("PUT /connections/{id}/notifications", { id, shows_text: showsText });
      queries.setQueryData(["GET /connections/{id}/notifications", { id }], answer);
      return true;
    },
    onSuccess: async (done, showsText) => {
      await queries.invalidateQueries({ queryKey: ["push state"] });
      if (done) toast(showsText === null ? texts.stopped : texts.started);
    },
  });
  const failure = change.error instanceof Refused ? refusalText(change.error, language) : change.data === false ? texts.refused : null;
  return (
    <Panel title={texts.title} about={texts.about}>
      {/* As high as the button, so that the rest of the page does not move once the state is known. */}
      <div className="grid min-h-11 gap-4 pointer-fine:min-h-9">
        {state === "unsupported" && <p className="text-soft">{texts.unsupported}</p>}
        {state === "denied" && <p className="text-soft">{texts.denied}</p>}
        {state === "ready" && chosen === null && (
          <Button busy={change.isPending} onClick={() => change.mutate(false)} className="justify-self-start">
            {texts.start}
          </Button>
        )}
        {state === "ready" && typeof chosen === "boolean" && (
          <>
            <Check
              label={texts.text}
              hint={texts.textHint}
              checked={chosen}
              disabled={change.isPending}
              onChange={({ target }) => change.mutate(target.checked)}
            />
            <Button busy={change.isPending} onClick={() => change.mutate(null)} className="justify-self-start">
              {texts.stop}
            </Button>
          </>
        )}
        {failure !== null && (
          <p role="alert" className="font-semibold text-bad">
            {failure}
          </p>
        )}
      </div>
    </Panel>
  );
}
