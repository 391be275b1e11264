internal import ArgumentParser

/// Teaches a shell what may follow.
struct CompletionCommand: ParsableCommand {
  /// A shell that can be taught.
  enum Shell: String, ExpressibleByArgument, CaseIterable {
    case bash
    case zsh
    case fish

    var completionShell: CompletionShell {
      switch self {
      case .bash: .bash
      case .zsh: .zsh
      case .fish: .fish
      }
    }
  }

  static let configuration = CommandConfiguration(
    commandName: "completion", abstract: "Print a script that completes commands in a shell.",
    discussion: """
      EXAMPLES:
        parley completion bash > /etc/bash_completion.d/parley
        parley completion zsh > ~/.zsh/completion/_parley
        parley completion fish > ~/.config/fish/completions/parley.fish
      """)

  @Argument(help: "bash, zsh or fish.")
  var shell: Shell

  func run() {
    print(Parley.completionScript(for: shell.completionShell))
  }
}
