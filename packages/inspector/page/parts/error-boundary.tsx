import { Component, type ComponentChildren, type JSX } from "preact";

interface Props {
  /** What cannot be shown, such as "this view". */
  readonly what: string;
  /** Is called when the part has failed. */
  readonly onError?: () => void;
  readonly children: ComponentChildren;
}

interface State {
  readonly message?: string | undefined;
}

/** Shows that a part of the page has failed, and keeps the rest of the page. */
export class ErrorBoundary extends Component<Props, State> {
  static override getDerivedStateFromError(error: unknown): State {
    return { message: error instanceof Error ? error.message : String(error) };
  }

  override componentDidCatch(): void {
    this.props.onError?.();
  }

  override render(): JSX.Element {
    const { message } = this.state;
    if (message === undefined) return <>{this.props.children}</>;
    return (
      <div class="problem" role="alert">
        <p>
          The page cannot show {this.props.what}: {message}
        </p>
        <button type="button" class="link" onClick={() => this.setState({ message: undefined })}>
          Try again
        </button>
      </div>
    );
  }
}
