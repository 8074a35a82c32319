// Browsers start no workers from pages on the disk; there, search runs in a hidden frame instead.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.body.append(this.frame);
      const inside = this.frame.contentWindow;
      inside.postMessage = (data) => this.dispatchEvent(new MessageEvent("message", { data }));
      const script = inside.document.createElement("script");
      script.src = new URL(url, location.href);
      this.started = new Promise((resolve) => script.addEventListener("load", resolve));
      inside.document.body.append(script);
    }

    postMessage(data) {
      const inside = this.frame.contentWindow;
      this.started.then(() => inside.dispatchEvent(new MessageEvent("message", { data })));
    }

    terminate() {
      this.frame.remove();
    }
  };
}
