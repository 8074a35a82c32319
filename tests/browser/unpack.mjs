// Unpacks the browser of package.json and prints where it is.
import chromium from "@sparticuz/chromium";

console.log(await chromium.executablePath());
