// QuickJS compiled to WebAssembly, in this process.
import { getQuickJS } from "quickjs-emscripten";

/** Loads a kernel; answers what runs it once, in milliseconds. */
export async function loadQuickjs(stack: AsyncDisposableStack, source: string): Promise<() => number> {
  const context = (await getQuickJS()).newContext();
  context.unwrapResult(context.evalCode(source.replaceAll("export ", ""))).dispose();
  const kernel = context.getProp(context.global, "kernel");
  stack.defer(() => {
    kernel.dispose();
    context.dispose();
  });
  return () => {
    const startedMs = performance.now();
    context.unwrapResult(context.callFunction(kernel, context.undefined)).dispose();
    return performance.now() - startedMs;
  };
}
