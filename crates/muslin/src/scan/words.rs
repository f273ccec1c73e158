//! Words in names of columns that say what a column is, in English, German, French, Spanish, Italian,
//! Portuguese, Dutch, Swedish, Danish, Norwegian and Polish.
//!
//! Words have no accents: names are compared without theirs. A word is a whole part of a name: `zip` is in
//! `zip_code` and `homeZip` and not in `zipper`. One that ends with `*` is the beginning of a part, as languages
//! need it that write words together.

use muslin_table::Role;

/// Words by role. The first role that a name speaks of counts.
pub(super) const WORDS: [(Role, &[&str]); 4] = [
    (Role::Identifier, IDENTIFIERS),
    (Role::Weight, WEIGHTS),
    (Role::Sensitive, SENSITIVE),
    (Role::QuasiIdentifier, QUASI_IDENTIFIERS),
];

#[rustfmt::skip]
const IDENTIFIERS: &[&str] = &[
    // Numbers of people and things.
    "id", "uid", "uuid", "guid", "pid", "rb030", "ssn", "nhs", "mrn", "nino", "bsn", "cpf", "cpr", "pesel", "nir",
    "dni", "nif", "nie", "aadhaar", "aadhar", "svnr", "ahv", "steuerid", "personnummer", "personnr", "personnum",
    "fodselsnummer", "fnr", "burgerservicenummer", "versichertennummer", "patientennummer", "kundennummer",
    "matrikelnummer", "aktenzeichen", "ausweis*", "matricule", "identifiant", "identificador", "codice",
    "passport", "reisepass", "passeport", "pasaporte", "passaporto", "passaporte", "paspoort", "paszport",
    "licence", "license", "plate", "kennzeichen", "fuhrerschein", "iban", "account", "konto", "kontonummer",
    "card", "cardno", "vin", "imei", "device",
    // Names.
    "name", "names", "surname", "firstname", "lastname", "fullname", "forename", "givenname", "familyname",
    "middlename", "maiden", "nickname", "username", "login", "vorname", "nachname", "zuname", "familienname",
    "geburtsname", "nom", "prenom", "patronyme", "nombre", "nombres", "apellido", "apellidos", "nome", "cognome",
    "sobrenome", "apelido", "naam", "voornaam", "achternaam", "namn", "fornamn", "efternamn", "navn", "fornavn",
    "efternavn", "etternavn", "imie", "nazwisko",
    // Ways to reach somebody.
    "email", "mail", "courriel", "correo", "phone", "telephone", "tel", "mobile", "cellphone", "fax",
    "telefon*", "handy", "handynummer", "portable", "movil", "celular", "cellulare", "mobiel", "komorka",
    "address", "street", "adresse", "anschrift", "strasse", "hausnummer", "rue", "direccion", "domicilio", "calle",
    "indirizzo", "endereco", "morada", "rua", "adres", "straat", "adress", "gata", "gade", "ulica", "addr",
    "url", "website", "ip", "mac", "cookie", "signature", "photo", "fingerprint",
];

#[rustfmt::skip]
const WEIGHTS: &[&str] = &[
    "wgt", "fnlwgt", "pweight", "hweight", "weights", "wt", "rb050", "db090", "gewicht", "gewichtung",
    "hochrechnungsfaktor", "ponderation", "poids", "ponderacion", "ponderador", "factorexp", "peso", "ponderazione",
    "weging", "weegfactor", "vikt", "vaegt", "vekt", "waga", "expansion", "grossing",
];

#[rustfmt::skip]
const SENSITIVE: &[&str] = &[
    // Health.
    "diagnosis", "diagnoses", "diagnose", "diagnosen", "diagnostic", "diagnostico", "diagnosi", "diagnos",
    "rozpoznanie", "disease", "illness", "krankheit", "erkrankung", "maladie", "enfermedad", "malattia", "doenca",
    "ziekte", "aandoening", "sjukdom", "sygdom", "sykdom", "choroba", "icd", "icd9", "icd10", "condition", "hiv",
    "aids", "cancer", "krebs", "treatment", "therapy", "behandlung", "traitement", "tratamiento", "tratamento",
    "trattamento", "behandeling", "leczenie", "medication", "medikament*", "drug", "drugs", "symptom", "symptoms",
    "disability", "behinderung", "handicap", "discapacidad", "disabilita", "deficiencia", "pregnant", "pregnancy",
    "abortion", "genotype", "dna", "mental", "smoker", "smoking", "alcohol", "procedure",
    // Money.
    "income", "salary", "wage", "wages", "earnings", "pay", "einkommen*", "gehalt", "lohn", "verdienst", "revenu",
    "revenus", "salaire", "ingreso", "ingresos", "salario", "sueldo", "reddito", "stipendio", "renda", "rendimento",
    "inkomen", "salaris", "loon", "inkomst", "indkomst", "inntekt", "lonn", "dochod", "zarobki", "pensja",
    "savings", "debt", "debts", "schulden", "dette", "deuda", "debito", "divida", "credit", "loan", "expend",
    "expenditure", "charge", "charges", "wealth", "vermogen", "assets", "benefit", "benefits", "tax",
    // Beliefs, deeds and judgements.
    "religion", "faith", "konfession", "religione", "religiao", "religie", "wyznanie", "party", "partei", "vote",
    "voting", "politics", "political", "union", "gewerkschaft", "sexuality", "crime", "offence",
    "offense", "conviction", "straftat", "delit", "delito", "reato", "arrest", "grade", "grades", "score",
    "victim", "violence",
];

#[rustfmt::skip]
const QUASI_IDENTIFIERS: &[&str] = &[
    // Who.
    "age", "alter", "edad", "eta", "idade", "leeftijd", "alder", "wiek", "agegroup", "sex", "gender", "geschlecht",
    "sexe", "sexo", "sesso", "genere", "genero", "geslacht", "kon", "kjonn", "plec",
    "birth", "born", "birthday", "birthdate", "birthyear", "dob", "yob", "geburt*", "naissance", "nacimiento", "nascita",
    "nascimento", "geboorte*", "fodelse*", "fodsel*", "urodzenia", "urodzenie", "death", "todesdatum", "deces",
    "race", "ethnicity", "ethnic", "herkunft", "origine", "origen", "nationality", "citizenship",
    "staatsangehorigkeit", "nationalitat", "nationalite", "nacionalidad", "nazionalita", "cittadinanza",
    "nacionalidade", "nationaliteit", "nationalitet", "medborgarskap", "statsborgerskab", "obywatelstwo",
    "migration", "immigrant", "language", "sprache", "langue", "idioma", "lingua", "taal", "sprak", "jezyk",
    "height", "weight", "groesse", "grosse", "taille", "bmi", "eye", "hair", "blood",
    // Where.
    "zip", "zipcode", "postcode", "postal", "plz", "postleitzahl", "cap", "cep", "cp", "postnummer", "postnr",
    "kod", "country", "city", "town", "village", "region", "state", "county", "district", "province",
    "municipality", "ward", "neighbourhood", "neighborhood", "location", "place", "lat", "latitude", "lon", "lng",
    "longitude", "land", "ort", "wohnort", "stadt", "gemeinde", "bezirk", "kreis", "bundesland", "kanton", "pays",
    "ville", "commune", "departement", "pais", "ciudad", "provincia", "municipio", "comuna", "paese", "citta",
    "comune", "regione", "cidade", "distrito", "concelho", "freguesia", "stad", "gemeente", "provincie",
    "woonplaats", "kommun", "lan", "kommune", "fylke", "miasto", "gmina", "powiat", "wojewodztwo", "kraj",
    "urbrur", "urban", "rural", "hospital", "school", "clinic",
    // How people live.
    "marital", "married", "familienstand", "zivilstand", "matrimonial", "civil", "civile", "burgerlijke",
    "civilstand", "civilstatus", "sivilstand", "stan", "education", "degree", "bildung*", "schulabschluss",
    "diplome", "etudes", "educacion", "estudios", "istruzione", "escolaridade", "educacao", "opleiding",
    "utbildning", "uddannelse", "utdanning", "wyksztalcenie", "occupation", "job", "profession", "employer",
    "workclass", "industry", "employment", "beruf", "arbeitgeber", "branche", "metier", "emploi", "ocupacion",
    "profesion", "empleo", "professione", "occupazione", "profissao", "ocupacao", "beroep", "werkgever", "yrke",
    "erhverv", "stilling", "zawod", "zatrudnienie", "relationship", "relat", "household", "haushalt*", "menage",
    "hogar", "nucleo", "agregado", "huishouden", "hushall", "husstand", "husholdning", "gospodarstwo", "children",
    "kinder", "enfants", "hijos", "figli", "filhos", "kinderen", "barn", "dzieci", "dwelling", "tenure", "roof",
    "car", "cars", "vehicle",
    // When.
    "date", "datum", "fecha", "data", "dato", "dag", "admission", "discharge", "visit",
];

/// Words that make a name with `weight` in it one of how many people a row stands for.
pub(super) const COUNTS_PEOPLE: &[&str] =
    &["sampling", "survey", "sample", "household", "person", "design", "final"];

/// Words for households, and for what makes their name one of a number.
pub(super) const HOUSEHOLDS: &[&str] = &[
    "household",
    "hh",
    "haushalt",
    "haushalts",
    "menage",
    "hogar",
    "famiglia",
    "agregado",
    "huishouden",
    "hushall",
    "husstand",
    "gospodarstwo",
    "family",
    "dwelling",
];
/// Words for numbers.
pub(super) const NUMBERS: &[&str] =
    &["id", "number", "no", "nr", "num", "numero", "nummer", "code", "numer"];
/// Names of numbers of households as they are.
pub(super) const HOUSEHOLD_NUMBERS: &[&str] =
    &["hhid", "hid", "hhnr", "hhno", "db030", "rx030", "haushaltsid", "haushaltsnummer"];

/// Whether a part of a name is a word.
pub(super) fn is_word(part: &str, word: &str) -> bool {
    match word.strip_suffix('*') {
        Some(start) => part.starts_with(start),
        None => part == word,
    }
}

/// A word as reasons show it.
pub(super) fn shown(word: &str) -> &str {
    word.trim_end_matches('*')
}
