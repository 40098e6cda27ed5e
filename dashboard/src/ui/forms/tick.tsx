import { type InputHTMLAttributes, type ReactNode, useId } from "react";

type CheckProps = Omit<InputHTMLAttributes<HTMLInputElement>, "type"> & {
  label: ReactNode;
  hint?: ReactNode;
  mixed?: boolean;
};

export function Check({ mixed = false, ...rest }: CheckProps) {
  return <Tick {...rest} type="checkbox" mixed={mixed} />;
}

/** To group checkboxes, give them the same `name` in a `<fieldset>` with a `<legend>`. */
export function Radio(props: Omit<CheckProps, "mixed">) {
  return <Tick {...props} type="radio" mixed={false} />;
}

function Tick({ label, hint, mixed, className = "", ...rest }: CheckProps & { type: "checkbox" | "radio"; mixed: boolean }) {
  const id = useId();
  return (
    <div className={`grid min-h-11 grid-cols-[auto_1fr] content-start items-start gap-x-2.5 pointer-fine:min-h-6 ${className}`}>
      <input
        {...rest}
        id={id}
        ref={(input) => {
          if (input !== null) input.indeterminate = mixed;
        }}
        aria-describedby={hint === undefined ? undefined : `${id}h`}
        className="mt-[3px] size-[1.125rem] accent-accent"
      />
      <label htmlFor={id} className={hint === undefined ? "min-h-11 pointer-fine:min-h-6" : ""}>
        {label}
      </label>
      {hint !== undefined && (
        <p id={`${id}h`} className="col-start-2 text-sm text-soft">
          {hint}
        </p>
      )}
    </div>
  );
}
