import AuthStateJOSE

/// The members of an answer, each read as its sender meant it.
///
/// A member that cannot be used is absent: its sender could have left it out. Readers refuse the lack of a required
/// one.
struct AnswerMembers {
    let members: [String: JSONValue]

    init(_ members: [String: JSONValue]) { self.members = members }

    /// The member, unless it is null or an empty string.
    subscript(name: String) -> JSONValue? {
        guard let value = members[name] else { return nil }
        guard value != .null, value != .string("") else { return unusable(name) }
        return value
    }

    /// Whether the answer says that it is an error; a member without content says so no more than its absence.
    var isError: Bool {
        guard let error = members["error"] else { return false }
        // Some servers number their errors, and 0 is none.
        guard error.isContentless || error == 0 else { return true }
        Leniency.unusableMember.note("error")
        return false
    }

    /// A text.
    func text(_ name: String) -> String? { self[name].flatMap { $0.stringValue ?? unusable(name) } }

    /// The name of a client or the like, also where it is a whole number.
    func name(_ name: String) -> String? {
        guard let digits = members[name]?.digits else { return text(name) }
        Leniency.numberForName.note(name)
        return digits
    }

    /// A text, also where it stands alone in a list.
    func onlyText(_ name: String) -> String? {
        guard let list = self[name]?.arrayValue else { return text(name) }
        guard list.count == 1, let text = list[0].stringValue, !text.isEmpty else { return unusable(name) }
        Leniency.listForText.note(name)
        return text
    }

    /// Words that spaces separate; those of a list are joined. An empty text is no word, and present.
    func words(_ name: String) -> String? {
        guard let value = members[name], value != .null else { return nil }
        if let text = value.stringValue { return text }
        let words = value.arrayValue?.filter { $0 != .null && $0 != "" }.map(\.stringValue)
        guard let words, !words.contains(nil) else { return unusable(name) }
        Leniency.listForText.note(name)
        return words.compactMap(\.self).joined(separator: " ")
    }

    /// Words in a list, or in one text that spaces separate.
    func wordList(_ name: String) -> [String]? {
        guard let texts = texts(name), members[name]?.arrayValue == nil else { return texts(name) }
        return texts.flatMap { $0.split(separator: " ").map(String.init) }
    }

    /// Texts; a single one is a list of one.
    func texts(_ name: String) -> [String]? {
        guard let value = self[name] else { return nil }
        if let text = value.stringValue {
            Leniency.textForList.note(name)
            return [text]
        }
        guard let list = value.arrayValue else { return unusable(name) }
        let texts = list.compactMap(\.stringValue)
        if texts.count != list.count { Leniency.unusableMember.note(name) }
        return texts
    }

    /// A truth value, also in a string.
    func flag(_ name: String) -> Bool? {
        guard let value = self[name] else { return nil }
        if let flag = value.boolValue { return flag }
        guard let text = value.stringValue, let flag = Bool(text.lowercased()) else { return unusable(name) }
        Leniency.textForScalar.note(name)
        return flag
    }

    /// A finite number, also in a string.
    func number(_ name: String) -> Double? {
        guard let value = self[name] else { return nil }
        if let number = value.doubleValue { return number }
        guard let text = value.stringValue, let number = Double(text), number.isFinite else { return unusable(name) }
        Leniency.textForScalar.note(name)
        return number
    }

    func object(_ name: String) -> [String: JSONValue]? {
        guard let value = self[name] else { return nil }
        return value.objectValue ?? unusable(name)
    }

    /// What a reader makes of the member's text.
    func text<T>(_ name: String, _ read: (String) -> T?) -> T? {
        guard let text = text(name) else { return nil }
        return read(text) ?? unusable(name)
    }

    private func unusable<T>(_ name: String) -> T? {
        Leniency.unusableMember.note(name)
        return nil
    }
}
