internal import ArgumentParser

/// Prints shell completion scripts.
struct CompletionCommand: ParsableCommand {
  /// A shell with completion.
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
    commandName: "completion", abstract: "Print a completion script for a shell.",
    discussion: """
      EXAMPLES:
        parley completion bash > /etc/bash_completion.d/parley
        parley completion zsh > ~/.zsh/completion/_parley
        parley completion fish > ~/.config/fish/completions/parley.fish
      """)

  @Argument(help: "The shell: bash, zsh or fish.")
  var shell: Shell

  func run() {
    print(Parley.completionScript(for: shell.completionShell))
  }
}
