// A pool that grows while it is judged: the server's answers bring documents. While none is there, the desk asks for some.
const MANY = 30, SLOWER = 5;

export class Growth {
  // `state` is what the server said last: whether more may be chosen (open), and for an empty desk the text and after how many
  // seconds to ask again; null for a pool that does not grow.
  constructor(state, ask) {
    this.state = state;
    this.ask = ask;
    this.asked = 0;
    this.timer = null;
  }

  get isOpen() { return Boolean(this.state?.open); }
  get isWaiting() { return Boolean(this.state?.again); }
  get text() { return this.state?.text ?? ""; }
  get takesLong() { return this.isOpen && this.asked > MANY; }

  take(state) { this.state = state; }

  wait() {
    this.stop();
    if (!this.isWaiting) return;
    const seconds = this.asked > MANY ? SLOWER * this.state.again : this.state.again;
    this.timer = setTimeout(async () => {
      this.asked += 1;
      if (!await this.ask()) this.wait();
    }, 1_000 * seconds);
  }

  stop() { clearTimeout(this.timer); }
}
