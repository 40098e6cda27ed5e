/** A problem that the operator can solve: printed with its remedy, without a stack. */
export class SetupProblem extends Error {
  readonly remedy: string;

  constructor(problem: string, remedy: string) {
    super(problem);
    this.remedy = remedy;
  }
}
