import ArgumentParser
import AuthStatePlatform

/// The name of a file in an option.
///
/// A shell expands `~` in front of a word alone: not in `--state=~/login`, not in `@~/body`, and not where no shell is, in a
/// kubeconfig or a service file.
public enum FileName {
    /// Returns the name as a shell would have passed it on.
    ///
    /// - Throws: `ValidationError` for the home folder of another user, and without a home folder; for a variable and a URL.
    public static func expanded(_ name: String) throws -> String {
        try expanded(name, environment: ProcessInfo.processInfo.environment)
    }

    static func expanded(_ name: String, environment: [String: String]) throws -> String {
        let variable = name.dropFirst().first
        if name.hasPrefix("$"), variable == "{" || variable == "_" || variable?.isLetter == true {
            throw ValidationError(
                "'\(name)' begins with a variable, which no shell has expanded. Write the path from the root, or ./$ for such a "
                    + "name.")
        }
        if name.hasPrefix("file:") {
            throw ValidationError("'\(name)' is a URL. Write the path, or ./file: for such a name.")
        }
        guard name.hasPrefix("~") else { return name }
        guard name == "~" || name.hasPrefix("~/") else {
            throw ValidationError(
                "'\(name)' begins with ~, which no shell has expanded. Write the path from the root, or ./~ for such a name."
            )
        }
        guard let home = environment["HOME"], home.hasPrefix("/") else {
            throw ValidationError("'\(name)' is in a home folder, and HOME names none. Write the path from the root.")
        }
        return home + name.dropFirst()
    }
}

extension String {
    /// The path from the root, for a path that was given in the current folder.
    var absolutePath: String { hasPrefix("/") ? self : "\(FileManager.default.currentDirectoryPath)/\(self)" }
}
